import { bare, Refusal, refuse } from '../answers.js';
import { route, type Route, type RouteRequest } from '../router.js';
import { isSnapshot, parseVersion } from '../versions.js';
import { openZip } from '../zip.js';
import { noZip } from './artifact-upload.js';
import { noApplication } from './deploy.js';
import { namespaceOf } from './namespaces.js';

const NO_HEADER = 'X-Archive-Name header not present. Please include the header and set its value to the jar name.';

/** Deploying an application from a JAR (contract 5): the checks of the upload; application classes in a JAR are not looked for. */
export const appJarRoutes: readonly Route[] = [route('POST', '/v3/namespaces/{namespace}/apps', deployJar)];

function deployJar(request: RouteRequest): never {
  const namespace = namespaceOf(request).name;
  const archive = request.headers['x-archive-name'];
  if (archive === undefined) {
    const { status, body } = bare(400, NO_HEADER);
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
    throw new Refusal({ status, body, headers });
  }
  if (!archive.endsWith('.jar')) refuse(400, `Artifact name '${archive}' does not end in .jar`);
  const stem = archive.slice(0, -'.jar'.length);
  const parts = [...stem.matchAll(/-(?=\d)/gu)]
    .map(({ index }) => ({ name: stem.slice(0, index), version: parseVersion(stem.slice(index + 1)) }))
    .find(({ version }) => version !== undefined);
  const version = parts?.version;
  if (parts === undefined || version === undefined) {
    return refuse(400, `Artifact name '${stem}' is not of the form {name}-{version}.jar`);
  }
  const { name } = parts;
  if (openZip(request.body) === undefined) refuse(400, noZip(namespace, name, version.version));
  if (request.store.artifact(namespace, name, version.version) !== undefined && !isSnapshot(version)) {
    refuse(
      409,
      `Artifact 'artifact:${namespace}.${name}.${version.version}' already exists. Please use the API that creates an application from an ` +
        'existing artifact. If you are trying to replace the artifact, please delete it and then try again.',
    );
  }
  return refuse(400, noApplication(namespace, { name, version: version.version, scope: 'USER' }));
}
