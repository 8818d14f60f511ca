import { createHash } from 'node:crypto';
import { empty, Refusal, refuse, text } from '../../http/answers.js';
import { findApplication, findPlugins, hasClass, manifestAttribute } from '../../jar/inspect-jar.js';
import type { Generation } from '../../store/generation.js';
import { arrayComplaint, isObject, parseJson, stringOf, type JsonObject } from '../../http/json.js';
import type { Artifact, ParentRange, PluginClass } from '../../store/model.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import type { Store } from '../../store/store.js';
import { isSnapshot, parseVersion } from '../../store/versions.js';
import { openZip, type ZipFile } from '../../jar/zip.js';
import { holds } from './selection.js';
import { namespaceOf } from '../system/namespaces.js';
import { parentText, parseParents } from './parents.js';

const NO_VERSION =
  'Unable to derive version from artifact because manifest does not contain Bundle-Version attribute. ' +
  'Please include Bundle-Version in the manifest, or explicitly specify the artifact version.';

/** Upload of artifacts (docs/platform.md 4.1). */
export const artifactUploadRoutes: readonly Route[] = [
  route('POST', '/v3/namespaces/{namespace}/artifacts/{artifact}', (request) => {
    const upload = readUpload(request);
    storeArtifact(request.store, upload);
    return text(200, 'Artifact added successfully');
  }),
];

/** An upload whose headers and JAR were read; nothing is stored yet. */
interface Upload {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly parents: readonly ParentRange[];
  readonly plugins: readonly PluginClass[];
  readonly jar: ZipFile;
  readonly body: Buffer;
}

function readUpload(request: RouteRequest): Upload {
  const namespace = namespaceOf(request).name;
  const name = request.param('artifact');
  if (!/^[\w.-]+$/u.test(name)) {
    refuse(400, `Invalid artifact ID: ${name}. Should only contain alphanumeric characters and _ or - or .`);
  }
  const wanted = (request.headers['artifact-version'] ?? '').trim();
  if (wanted !== '') checkVersion(wanted);
  const parents = parseParents(namespace, request.headers['artifact-extends'] ?? '');
  const plugins = declaredPlugins(request.headers['artifact-plugins'] ?? '', request.store.generation);
  const { body } = request;
  if (wanted !== '') {
    const jar = openZip(body) ?? refuse(400, noZip(namespace, name, wanted));
    return { namespace, name, version: wanted, parents, plugins, jar, body };
  }
  const jar = openZip(body) ?? refuse(400, 'Artifact is not in zip format. Please make sure it is a jar file.');
  const version = manifestAttribute(jar, 'Bundle-Version') ?? refuse(400, NO_VERSION);
  checkVersion(version);
  return { namespace, name, version, parents, plugins, jar, body };
}

/** The 400 about a body that is no ZIP, for an upload whose version is known. */
export function noZip(namespace: string, name: string, version: string): string {
  return `Couldn't unzip artifact artifact:${namespace}.${name}.${version}, please check it is a valid jar file.`;
}

function checkVersion(version: string): void {
  if (parseVersion(version) === undefined) refuse(400, `Invalid artifact version ${version}`);
}

/**
 * Inspects the JAR and stores the artifact. A release that exists is a 409, a SNAPSHOT is replaced and loses its
 * properties.
 */
function storeArtifact(store: Store, upload: Upload): void {
  const { namespace, name, version, parents, jar, body } = upload;
  checkParents(store, upload);
  const declared = upload.plugins.map((plugin) => checkedPlugin(upload, plugin, store.generation));
  const plugins = distinct([...findPlugins(jar, parents.length > 0, store.generation), ...declared]);
  if (store.generation.platform === '6.1.1' && version.includes('/')) {
    refuse(500, 'Error performing IO while writing artifact.');
  }
  const parsed = parseVersion(version);
  if (store.artifact(namespace, name, version) !== undefined && (parsed === undefined || !isSnapshot(parsed))) {
    refuse(409, `Artifact artifact:${namespace}.${name}.${version} already exists.`);
  }
  const sha256 = createHash('sha256').update(body).digest('hex');
  const application = findApplication(jar, `artifact:${namespace}.${name}.${version}`, store.generation);
  const applications = application === undefined ? [] : [application];
  const rest = { properties: {}, applications, sha256, bytes: body.length };
  const artifact: Artifact = { namespace, name, version, parents: [...parents], plugins, ...rest };
  store.putArtifact(artifact);
}

function checkParents(store: Store, { namespace, name, version, parents }: Upload): void {
  const own = `artifact:${namespace}.${name}.${version}`;
  for (const parent of parents) {
    if (parent.namespace === namespace && parent.name === name) {
      refuse(400, `Invalid parent '${parentText(parent)}' for artifact '${own}'. An artifact cannot extend itself.`);
    }
    if (parents.filter((other) => other.name === parent.name && other.namespace === parent.namespace).length > 1) {
      refuse(400, `Invalid parents field. Only one version range for parent '${parent.name}' can be present.`);
    }
  }
  const exists = parents.some((parent) =>
    store.artifacts(parent.namespace).some((entry) => entry.name === parent.name && holds(parent, entry.version)),
  );
  if (parents.length > 0 && !exists) {
    const missing = parents.map(parentText).reverse().join('/');
    refuse(404, `Artifact ${own} extends artifacts '${missing}' that do not exist`);
  }
}

function checkedPlugin({ jar, name, version }: Upload, plugin: PluginClass, generation: Generation): PluginClass {
  if (generation.platform === '4.3.5' || hasClass(jar, plugin.className)) return plugin;
  return refuse(
    400,
    `Artifact ${name} with version ${version} and scope USER does not have class ${plugin.className}.`,
  );
}

function distinct(plugins: readonly PluginClass[]): PluginClass[] {
  return [...new Map(plugins.map((plugin) => [`${plugin.type}/${plugin.name}/${plugin.className}`, plugin])).values()];
}

function declaredPlugins(header: string, { platform }: Generation): PluginClass[] {
  if (header === '') return [];
  const value = parseJson(header);
  if (value === null) throw new Refusal(empty(500));
  if (!Array.isArray(value)) {
    const reason = platform === '4.3.5' ? `: ${arrayComplaint(header)}` : '.';
    refuse(400, `Artifact-Plugins header '${header}' is invalid${reason}`);
  }
  const items: readonly unknown[] = value;
  return items.map((item) => {
    if (item === null) throw new Refusal(empty(500));
    return (isObject(item) ? declaredPlugin(item) : undefined) ?? refuse(400, `Invalid PluginClasses '${header}'.`);
  });
}

function declaredPlugin(item: JsonObject): PluginClass | undefined {
  const [name, className] = [stringOf(item, 'name'), stringOf(item, 'className')];
  if (name === undefined || className === undefined || item['description'] === null) return undefined;
  return {
    type: stringOf(item, 'type') ?? 'plugin',
    name,
    description: stringOf(item, 'description') ?? '',
    className,
    properties: {},
    requirements: { datasetTypes: [], capabilities: [] },
  };
}
