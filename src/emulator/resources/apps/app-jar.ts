import { createHash } from 'node:crypto';
import { Refusal, refuse, text } from '../../http/answers.js';
import type { EmulatorAnswer } from '../../http/exchange.js';
import { findApplication, findPlugins } from '../../jar/inspect-jar.js';
import { isObject, parseJson } from '../../http/json.js';
import type { Artifact } from '../../store/model.js';
import { route, type Route, type RouteRequest } from '../../http/route.js';
import { isSnapshot, parseVersion, type ArtifactVersion } from '../../store/versions.js';
import { openZip } from '../../jar/zip.js';
import { deployAnswer } from './apps.js';
import { noZip } from '../artifacts/upload.js';
import { deploy, noApplication, refuseConfig } from './deploy.js';
import { namespaceOf } from '../system/namespaces.js';

const NO_HEADER = 'X-Archive-Name header not present. Please include the header and set its value to the jar name.';

/** Deploying an application from a JAR, which becomes an artifact too (docs/platform.md 5). */
export const appJarRoutes: readonly Route[] = [route('POST', '/v3/namespaces/{namespace}/apps', deployJar)];

function deployJar(request: RouteRequest): EmulatorAnswer {
  const { store, headers, body } = request;
  const namespace = namespaceOf(request).name;
  const { name, version } = archiveName(headers['x-archive-name']);
  const jar = openZip(body) ?? refuse(400, noZip(namespace, name, version.version));
  if (store.artifact(namespace, name, version.version) !== undefined && !isSnapshot(version)) {
    refuse(
      409,
      `Artifact 'artifact:${namespace}.${name}.${version.version}' already exists. Please use the API that creates an application from an ` +
        'existing artifact. If you are trying to replace the artifact, please delete it and then try again.',
    );
  }
  const application = findApplication(jar, `artifact:${namespace}.${name}.${version.version}`, store.generation);
  if (application === undefined) {
    return refuse(400, noApplication(namespace, { name, version: version.version, scope: 'USER' }));
  }
  const artifact: Artifact = {
    namespace,
    name,
    version: version.version,
    properties: {},
    parents: [],
    plugins: findPlugins(jar, false, store.generation),
    applications: [application],
    sha256: createHash('sha256').update(body).digest('hex'),
    bytes: body.length,
  };
  const place = { namespace, name: application.className.slice(application.className.lastIndexOf('.') + 1) };
  const deployed = deploy(store, place, requestOf(request), artifact);
  store.putArtifact(artifact);
  if (!store.generation.hasVersions) return text(200, `Successfully deployed app ${place.name}`);
  return deployAnswer(store, place.name, deployed);
}

function archiveName(archive: string | undefined): { readonly name: string; readonly version: ArtifactVersion } {
  if (archive === undefined) {
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
    throw new Refusal({ status: 400, headers, body: NO_HEADER });
  }
  if (!archive.endsWith('.jar')) refuse(400, `Artifact name '${archive}' does not end in .jar`);
  const stem = archive.slice(0, -'.jar'.length);
  for (const { index } of stem.matchAll(/-(?=\d)/gu)) {
    const [name, version] = [stem.slice(0, index), parseVersion(stem.slice(index + 1))];
    if (version === undefined) continue;
    return /^[\w.-]+$/u.test(name) ? { name, version } : refuse(400, 'Invalid artifact name.');
  }
  return refuse(400, `Artifact name '${stem}' is not of the form {name}-{version}.jar`);
}

/** The headers as the request of a deploy; the configuration stays the text that was sent. */
function requestOf({ headers, store }: RouteRequest): Readonly<Record<string, unknown>> {
  const config = headers['x-app-config'] ?? '';
  const value = config.trim() === '' ? null : parseJson(config);
  if (value !== null && !isObject(value)) {
    refuseConfig(store.generation, 'Invalid JSON configuration was provided. Please check the syntax.');
  }
  const keeps = headers['x-app-deploy-update-schedules']?.toLowerCase() === 'false';
  return { ...(config === '' ? {} : { config }), ...(keeps ? { 'app.deploy.update.schedules': false } : {}) };
}
