import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onlyToken } from '../../src/http/kept-token.js';
import { systemClock } from '../../src/cli/clock.js';
import { CliError } from '../../src/core/errors.js';
import { platformTransport } from '../../src/http/undici/undici-transport.js';
import { uploadArtifact } from '../../src/platform/artifacts.js';
import { platformClient } from '../../src/platform/client.js';
import { signIn } from './access-token.js';
import { startEmulatorProcess, type Emulator } from './emulator.js';
import { installJson, trustHub } from './site.js';

const PLATFORM = process.env['CDAPCTL_SIGN_IN_URL'] ?? '';
const ACCOUNT = process.env['CDAPCTL_SIGN_IN_ACCOUNT'] ?? '';
const PACKAGE = 'samples/example-trim-fields@1.10.0';
const WRONG = ['notatoken', 'AAAA', 'not-base64!', 'x.y.z', Buffer.alloc(60, 7).toString('base64')];
const SIZES = [{ bytes: 100_000 }, { bytes: 50_000_000 }];

let folder: string;
let emulator: Emulator;
let answer: string;
let token: string;

async function tokenFile(text: string): Promise<string> {
  const file = join(folder, 'token');
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

async function uploadWith(wrong: string | undefined, bytes: number): Promise<unknown> {
  const options = { base: PLATFORM, clock: systemClock, random: () => 0.5, userAgent: 'cdapctl' };
  const transport = platformTransport({ ...options, token: wrong === undefined ? undefined : onlyToken(wrong) });
  const file = join(folder, `${bytes}.jar`);
  const content = Buffer.alloc(bytes);
  await writeFile(file, content);
  const jar = { file, bytes, sha256: createHash('sha256').update(content).digest('hex') };
  const upload = { namespace: 'default', name: 'refused', version: '1.0.0', ...jar, parents: [], plugins: [] };
  try {
    return await platformClient(transport).call(uploadArtifact, upload, new AbortController().signal);
  } finally {
    await transport.close();
  }
}

describe.skipIf(PLATFORM === '')('a real platform that asks for a token', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cdapctl-sign-in-'));
    answer = await signIn(PLATFORM, ACCOUNT);
    token = (JSON.parse(answer) as { access_token: string }).access_token;
    emulator = await startEmulatorProcess(folder);
    await trustHub(folder, 'samples', emulator.hub, emulator);
  });

  afterAll(async () => {
    expect(await emulator.stop()).toBe(0);
    await rm(folder, { recursive: true, force: true });
  });

  it('refuses who has none', async () => {
    const { run, document } = await installJson(folder, PLATFORM, [PACKAGE, '-y']);
    expect(run.code, run.stderr).toBe(3);
    expect(document).toMatchObject({ kind: 'Error', error: { code: 'AUTH', exitCode: 3 }, item: null });
  });

  it.each(WRONG)('refuses the token "%s"', async (wrong) => {
    const { run, document } = await installJson(folder, PLATFORM, [PACKAGE, '-y', '-a', await tokenFile(wrong)]);
    expect(run.code, run.stdout).toBe(3);
    expect(document).toMatchObject({ kind: 'Error', error: { code: 'AUTH', exitCode: 3 }, item: null });
    expect(run.stdout + run.stderr).not.toContain(wrong);
  });

  it('takes the answer of its auth server, and the token alone', async () => {
    const first = await installJson(folder, PLATFORM, [PACKAGE, '-y', '-a', await tokenFile(answer)]);
    expect(first.run.code, first.run.stdout).toBe(0);
    const second = await installJson(folder, PLATFORM, [PACKAGE, '-y', '-a', await tokenFile(`${token}\n`)]);
    expect(second.document.item).toMatchObject({ state: 'already-present' });
    const said = [first, second].map(({ run }) => run.stdout + run.stderr).join('');
    expect(said).not.toContain(token);
  });

  it.each(SIZES)('refuses an upload of $bytes bytes, and is understood every time', async ({ bytes }) => {
    for (const wrong of [undefined, 'AAAA', undefined, 'AAAA', undefined, 'AAAA']) {
      const error = await uploadWith(wrong, bytes).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(CliError);
      expect(error).toMatchObject({ code: 'AUTH', exitCode: 3, details: { request: { status: 401 } } });
    }
  });
});
