import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createMessage, generateKey, revokeKey, sign } from 'openpgp';
import { buildHub, type HubFiles } from '../../../src/emulator/hub/build.js';
import { hubRoutes } from '../../../src/emulator/hub/routes.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import type { HubSigner } from '../../../src/emulator/hub/sign.js';

const DAY = 24 * 60 * 60 * 1000;

/** The time at which hubs of tests are made unless they say another: 1 June 2025, noon, in milliseconds. */
export const HUB_TIME = Date.UTC(2025, 5, 1, 12);

/** What becomes of a key: `expired` signed while it was valid and ended a day before `now`; `revoked` is published with its revocation. */
export type KeyState = 'good' | 'expired' | 'revoked';

export interface HubKeyOptions {
  readonly now?: number;
  readonly state?: KeyState;
  readonly owner?: string;
}

/** Makes an Ed25519 key that signs files of a hub. */
export async function hubKey({
  now = HUB_TIME,
  state = 'good',
  owner = 'Test Hub',
}: HubKeyOptions = {}): Promise<HubSigner> {
  const born = state === 'good' ? now : now - 3 * DAY;
  const date = new Date(born);
  const { privateKey, publicKey, revocationCertificate } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [{ name: owner, email: 'test@hub.example.org' }],
    subkeys: [],
    date,
    format: 'object',
    ...(state === 'expired' ? { keyExpirationTime: (2 * DAY) / 1000 } : {}),
  });
  const shown =
    state === 'revoked'
      ? (await revokeKey({ key: publicKey, revocationCertificate, date: new Date(now), format: 'object' })).publicKey
      : publicKey;
  return {
    publicKey: shown.armor(),
    fingerprint: publicKey.getFingerprint().toUpperCase(),
    sign: async (bytes) =>
      sign({
        message: await createMessage({ binary: bytes }),
        signingKeys: privateKey,
        detached: true,
        format: 'armored',
        date,
      }),
  };
}

export interface PackageOptions {
  readonly name?: string;
  readonly version?: string;
  /** Members of the specification that replace or add to the plain ones; `undefined` leaves a member out. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Signed files; text is taken as UTF-8. */
  readonly resources?: Readonly<Record<string, Buffer | string>>;
  readonly unsigned?: Readonly<Record<string, Buffer | string>>;
}

function asBuffers(files: Readonly<Record<string, Buffer | string>>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]));
}

/** A specification with the one action that makes a plugin artifact `plug` of a JAR and `plug.json`. */
export const pluginSpec = (jar = 'plug.jar') => ({
  actions: [
    {
      type: 'one_step_deploy_plugin',
      label: 'Deploy',
      arguments: [
        { name: 'name', value: 'plug' },
        { name: 'version', value: '1.0.0' },
        { name: 'jar', value: jar },
        { name: 'config', value: 'plug.json' },
      ],
    },
  ],
});

/** A package of one informational action, in which a test changes what it is about. */
export function hubPackage({
  name = 'test-package',
  version = '1.0.0',
  spec = {},
  resources = {},
  unsigned = {},
}: PackageOptions = {}): SamplePackage {
  const plain = {
    specVersion: '1.0',
    label: `Label of ${name}`,
    description: 'A package for a test',
    author: 'Test Author',
    org: 'Test Organisation',
    created: 1_700_000_000,
    categories: ['example'],
    cdapVersion: '[6.1.0,7.0.0)',
    actions: [{ type: 'informational', label: 'Read this', arguments: [{ name: 'steps', value: ['One step'] }] }],
  };
  return { name, version, spec: { ...plain, ...spec }, resources: asBuffers(resources), unsigned: asBuffers(unsigned) };
}

export interface SignedHubOptions {
  readonly packages: readonly SamplePackage[];
  /** Made anew unless given; index and files are signed by it. */
  readonly key?: HubSigner;
  readonly now?: number;
  readonly sequence?: number;
  /** `false` leaves `index.json` and its signature out, as most hubs do. */
  readonly index?: boolean;
  /** Changes after signing, by path: the new bytes, or `undefined` to remove the file. */
  readonly tamper?: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>>;
}

/** Builds a signed hub of a test's own packages; a path to tamper with that the hub does not have is an error of the test. */
export async function signedHub(options: SignedHubOptions): Promise<{ files: HubFiles; key: HubSigner }> {
  const { packages, now = HUB_TIME, sequence = 1, index = true, tamper = {} } = options;
  const key = options.key ?? (await hubKey({ now }));
  const files = await buildHub({ packages, signer: key, now, sequence });
  if (!index) ['index.json', 'index.json.asc'].forEach((name) => files.delete(name));
  for (const [path, change] of Object.entries(tamper)) {
    const bytes = files.get(path);
    if (bytes === undefined) throw new Error(`the hub has no file ${path}`);
    const changed = change(bytes);
    if (changed === undefined) files.delete(path);
    else files.set(path, changed);
  }
  return { files, key };
}

/** A copy with one byte changed, in the middle unless told. */
export function flipByte(bytes: Buffer, at = Math.floor(bytes.length / 2)): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

/** Writes the files of a hub below a folder, which is made when it is missing. */
export async function writeHubTree(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [name, bytes] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
}

export interface SeenRequest {
  readonly method: string;
  /** As sent, with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ServedHub {
  /** Base address without `/v2`; both forms are answered. */
  readonly url: string;
  /** Every request so far, in order. */
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

/** Serves files on a free port of loopback; a file changed in the map is served changed. */
export async function serveHub(files: ReadonlyMap<string, Buffer>): Promise<ServedHub> {
  const routes = hubRoutes({ files });
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const method = request.method ?? 'GET';
    const path = request.url ?? '/';
    requests.push({ method, path, headers: request.headers });
    const [bare = '/', query = ''] = path.split('?');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    void Promise.resolve(
      routes({ method, path: bare, query: new URLSearchParams(query), headers, body: Buffer.alloc(0) }),
    ).then((answer) => {
      response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
      response.end(answer.body);
    });
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
