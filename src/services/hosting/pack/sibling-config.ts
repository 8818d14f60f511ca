import { readTextFile } from '../../../core/files/read-bounded.js';
import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import { isRawObject, type RawObject } from '../../../hub/fields.js';
import { readArtifactConfig, type ArtifactConfig } from '../../../hub/resource-config.js';

/** The config that the build of a plugin project puts beside its JAR (`core-plugins-2.12.0.json`). */
export interface ConfigBeside extends ArtifactConfig {
  readonly file: string;
  /** With every member that it came with. */
  readonly raw: RawObject;
}

const LARGEST = 32 * 1024 * 1024;

/**
 * Reads the config beside a JAR; undefined when there is none.
 * @throws BAD_JSON, BAD_UTF8, DUP_KEY, BAD_PARENT, BAD_FIELD, LOCAL_IO
 */
export async function readConfigBeside(jar: string): Promise<ConfigBeside | undefined> {
  const file = `${jar.replace(/\.jar$/iu, '')}.json`;
  const found = await readTextFile(file, LARGEST);
  if (found.kind === 'absent') return undefined;
  if (found.kind === 'unusable') throw new CliError('LOCAL_IO', `${file} ${found.why}`, { target: { file } });
  const bytes = Buffer.from(found.text);
  const raw = parseJson(bytes, file, { duplicates: 'refuse' });
  return { ...readArtifactConfig(bytes, file), file, raw: isRawObject(raw) ? raw : {} };
}
