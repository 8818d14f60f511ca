import { basename } from 'node:path';
import { CliError } from '../../../../core/errors.js';
import { hasClass, type Jar } from '../../../../core/files/jar.js';
import { parseVersion } from '../../../../core/version.js';
import type { JarSource, PrepareContext, PreparedAction, ResolvedAction } from '../../action.js';
import { appStep } from './step.js';

/** The artifact that the platform makes of a JAR, which it names after the file (docs/platform.md 5). */
export interface Archive {
  readonly name: string;
  readonly version: string;
}

const EXTENSION = '.jar';
const NAME = /^[\w.-]+$/u;
const PRINTABLE = /^[!-~]+$/u;

/**
 * Reads name and version from the file name of a JAR as the platform does. The version starts at the first hyphen where
 * one can start. Undefined when the platform refuses the name.
 */
export function archiveOf(file: string): Archive | undefined {
  if (!file.endsWith(EXTENSION) || !PRINTABLE.test(file)) return undefined;
  const stem = file.slice(0, -EXTENSION.length);
  for (const { index } of stem.matchAll(/-(?=\d)/gu)) {
    const [name, version] = [stem.slice(0, index), stem.slice(index + 1)];
    if (parseVersion(version) !== undefined) return NAME.test(name) ? { name, version } : undefined;
  }
  return undefined;
}

/** The name and version of a JAR; a step is told where the JAR is one of the package. */
function requiredArchive(file: string, n?: number): Archive {
  const archive = archiveOf(file);
  if (archive !== undefined) return archive;
  throw new CliError(
    'BAD_JAR',
    `"${file}" is not a valid application file name: the platform requires NAME-VERSION.jar`,
    {
      hints: [{ next: 'give-archive', n }],
    },
  );
}

function mainClassOf(jar: Jar, file: string): string {
  const { mainClass } = jar;
  if (mainClass === undefined)
    throw new CliError('BAD_JAR', `${file} is not an application: its manifest has no Main-Class`, {
      target: { file },
    });
  if (!hasClass(jar, mainClass))
    throw new CliError('BAD_JAR', `${file} does not contain its main class ${mainClass}`, { target: { file } });
  return mainClass;
}

const fileName = (jar: JarSource): string => (jar.kind === 'local' ? basename(jar.file) : jar.name);

/**
 * Refuses a JAR of a person that is no application or has a name that the platform does not take.
 * @throws BAD_JAR
 */
export function checkApplicationJar(jar: Jar): string {
  const { name, version } = requiredArchive(basename(jar.file));
  return `application ${mainClassOf(jar, jar.file)}, will be artifact ${name} ${version}`;
}

/** Prepares an action that deploys an application from its JAR (docs/hub-format.md 3.7, 3.8). */
export async function prepareApplication(action: ResolvedAction, context: PrepareContext): Promise<PreparedAction> {
  const { n, type, label, jar } = action;
  if (jar === undefined) throw new CliError('BAD_ACTION', `action ${n} (${type}): argument "jar" is missing`);
  const file = fileName(jar);
  const archive = requiredArchive(file, jar.kind === 'local' ? undefined : n);
  const mainClass = mainClassOf(await context.inspect(jar), file);
  const step = appStep({ ...archive, file, mainClass, jar });
  const inputs = { jar: jar.kind === 'local' ? jar.file : jar.name, ...archive, mainClass };
  return { n, type, label, target: step.target, texts: [], notices: [], inputs, step };
}
