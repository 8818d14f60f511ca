import { CliError } from '../../../../core/errors.js';
import { parseVersion } from '../../../../core/version.js';
import { readArtifactConfig, type ArtifactConfig } from '../../../../hub/resource-config.js';
import { uploadHeaders } from '../../../../platform/artifacts.js';
import type { PrepareContext, PreparedAction, ResolvedAction } from '../../action.js';
import { optionalText, refuseSystemScope, requiredText, setHint } from '../../arguments.js';
import { artifactStep } from './step.js';
import type { ArtifactParent } from './parents.js';

/**
 * Limit for the headers of an upload, with room for a token and others. The platform takes 8191 bytes and silently
 * drops the rest (docs/platform.md 0.4).
 */
const MOST_HEADER_BYTES = 7000;
const NO_CONFIG: ArtifactConfig = { parents: [], plugins: [], properties: {}, notes: [] };

async function versionOf(action: ResolvedAction, context: PrepareContext): Promise<string> {
  const jar = action.jar;
  const given = optionalText(action, 'version');
  const version = given ?? (jar && (await context.inspect(jar)).bundleVersion);
  if (version === undefined) {
    throw new CliError('BAD_JAR', `action ${action.n}: neither the package nor the JAR manifest specifies a version`, {
      hints: [{ next: 'set-argument', n: action.n, name: 'version', what: 'one' }],
    });
  }
  if (parseVersion(version) === undefined) {
    throw new CliError(
      'BAD_ACTION',
      `action ${action.n}: the platform does not accept the artifact version "${version}"`,
      { hints: [setHint(action, 'version')] },
    );
  }
  return version;
}

function parentsOf(config: ArtifactConfig, context: PrepareContext): readonly ArtifactParent[] {
  return config.parents.map((parent) => {
    const system = parent.namespace === 'system' || (parent.namespace === undefined && context.assumeSystem);
    // The platform reads the prefix as a namespace, so "user:" would be a namespace of that name (docs/platform.md 4.1).
    const prefix = system ? 'system' : parent.namespace === 'user' ? undefined : parent.namespace;
    const text = `${prefix === undefined ? '' : `${prefix}:`}${parent.name}${parent.rangeText}`;
    return { name: parent.name, system, range: parent.range, text };
  });
}

/** Refuses what no request can say, before anything is written. */
function refuseHeaders(action: ResolvedAction, upload: Parameters<typeof uploadHeaders>[0]): void {
  const headers = Object.entries(uploadHeaders(upload));
  const odd = headers.find(([, value]) => !/^[\x20-\x7e]*$/u.test(value));
  if (odd !== undefined)
    throw new CliError(
      'BAD_ACTION',
      `action ${action.n} (${action.type}): ${odd[0]} ${JSON.stringify(odd[1])} has characters that a request cannot have`,
    );
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 2, 0);
  if (bytes <= MOST_HEADER_BYTES) return;
  throw new CliError(
    'BAD_ACTION',
    `action ${action.n} (${action.type}): parents and plugins of its config need ${bytes} bytes of headers, but the platform accepts about 8000 in total`,
  );
}

/**
 * Prepares an upload of a JAR with an artifact config. For drivers and both kinds of plugins (docs/hub-format.md 3.2 to
 * 3.4).
 */
export async function prepareArtifact(action: ResolvedAction, context: PrepareContext): Promise<PreparedAction> {
  refuseSystemScope(action);
  const { jar } = action;
  if (jar === undefined)
    throw new CliError('BAD_ACTION', `action ${action.n} (${action.type}): argument "jar" is missing`);
  const name = requiredText(action, 'name');
  const configName = optionalText(action, 'config');
  const config =
    configName === undefined ? NO_CONFIG : readArtifactConfig(await context.resource(configName), configName);
  const version = await versionOf(action, context);
  const { plugins, properties } = config;
  const parents = parentsOf(config, context);
  refuseHeaders(action, {
    version,
    parents: parents.map(({ text }) => text),
    plugins: plugins.map(({ raw }) => raw),
  });
  const step = artifactStep({ name, version, jar, parents, plugins, properties });
  const inputs = {
    name,
    version,
    jar: jar.kind === 'local' ? jar.file : jar.name,
    ...(configName !== undefined && { config: configName }),
  };
  return {
    n: action.n,
    type: action.type,
    label: action.label,
    target: step.target,
    texts: [],
    notices: config.notes,
    inputs,
    step,
  };
}
