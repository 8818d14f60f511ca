import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pid } from 'node:process';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { commandLine } from '../../cli/line/command-line.js';
import { describeIssues } from '../../core/issues.js';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import { readBounded } from '../../core/files/read-bounded.js';
import { PLATFORMS } from '../../emulator/store/generation.js';
import type { RunningEmulator } from '../../emulator/start.js';
import type { Seed } from '../../emulator/seed/apply-seed.js';
import { emulatorView } from '../../output/views/emulator.js';

const LARGEST_SEED = 32 * 1024 * 1024;

const port = (summary: string) => Flags.integer({ summary, min: 0, max: 65_535, default: 0, helpValue: 'PORT' });

export default class EmulatorStart extends BaseCommand {
  static override summary = 'Start an embedded platform and a signed sample hub for testing';
  static override description =
    'Runs in the foreground until stopped with Ctrl-C or SIGTERM. When ready, prints one line on stdout and sample commands on stderr. Pipelines do not really run; a run with the argument emulator.fail=STAGE fails, in that stage.';
  static override examples = [
    'cdapctl emulator start',
    'cdapctl emulator start --port 11015 --hub-port 8085 --key-out hub.asc',
    'cdapctl emulator start --platform 6.1.1 --runs 10000',
    'cdapctl emulator start --json',
  ];
  static override failures = ['IN_USE', 'LOCAL_IO', 'BAD_JSON'] as const;
  static override seeAlso = ['cdapctl hub add', 'cdapctl hub key add'];
  static override flags = {
    platform: Flags.option({
      options: PLATFORMS,
      summary: 'platform version to emulate (default: 6.11.0); 6.1.1 keeps drafts in the user store, 4.3.5 has streams',
      default: '6.11.0',
      helpValue: 'VERSION',
    })(),
    port: port('port of the platform (default: 0, any free port)'),
    'hub-port': port('port of the hub (default: 0, any free port)'),
    seed: Flags.string({
      summary: 'JSON file with initial artifacts, applications and namespaces',
      helpValue: 'FILE',
    }),
    pipelines: Flags.integer({
      summary: 'number of pipelines to generate in the default namespace, most on older artifacts; --runs adds its own',
      min: 0,
      max: 100_000,
      default: 0,
      helpValue: 'N',
    }),
    runs: Flags.integer({
      summary: 'number of runs to generate over the last weeks, with the 54 pipelines of these runs',
      min: 0,
      max: 10_000_000,
      default: 0,
      helpValue: 'N',
    }),
    latency: Flags.integer({
      summary: 'response time of the platform in milliseconds (default: 0)',
      min: 0,
      max: 60_000,
      default: 0,
      helpValue: 'MILLISECONDS',
    }),
    'auth-file': Flags.string({
      summary: 'JSON file with a list of { user, password, token, seconds? }; requests then need a token',
      helpValue: 'FILE',
    }),
    state: Flags.string({
      summary: 'folder for the state and the key of the hub (default: in memory only)',
      helpValue: 'DIR',
    }),
    'key-out': Flags.string({ summary: 'write the public key of the hub to this file', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(EmulatorStart);
    const [{ startEmulator }, seeds, { Accounts }] = await Promise.all([
      import('../../emulator/start.js'),
      import('../../emulator/seed/apply-seed.js'),
      import('../../emulator/http/auth.js'),
    ]);
    const seed = flags.seed === undefined ? undefined : await readChecked(flags.seed, seeds.Seed);
    const auth = flags['auth-file'] === undefined ? undefined : await readChecked(flags['auth-file'], Accounts);
    const emulator = await startEmulator({
      port: flags.port,
      hubPort: flags['hub-port'],
      platform: flags.platform,
      latency: flags.latency,
      seed: seedWith(seed, flags),
      ...(auth && { auth }),
      ...(flags.state !== undefined && { stateDir: flags.state }),
    }).catch((cause: unknown) => {
      throw startFailure(cause);
    });
    const { state = '', pipelines, runs } = flags;
    if (emulator.resumed && (flags.seed !== undefined || pipelines + runs > 0))
      this.terminal.warn(
        'STATE',
        `${state} already has a state, which is used as it is: --seed, --pipelines and --runs are ignored`,
      );
    if (flags['key-out'] !== undefined) await writeKey(flags['key-out'], emulator.publicKey);
    await this.show(emulatorView, {
      url: emulator.url,
      hub: emulator.hub,
      fingerprint: emulator.fingerprint,
      pid,
    });
    this.terminal.tell(nextSteps(emulator, flags['key-out'], flags['auth-file'] !== undefined).join('\n'));
    if (!this.signal.aborted) await once(this.signal, 'abort');
    await emulator.close();
  }
}

/** What to paste into another shell. */
function nextSteps(
  { url, hub, fingerprint }: Pick<RunningEmulator, 'url' | 'hub' | 'fingerprint'>,
  key: string | undefined,
  needsLogin: boolean,
): string[] {
  const lines = [
    ['context', 'add', 'emulator', '--url', url],
    ...(needsLogin ? [['login', '--context', 'emulator']] : []),
    ['hub', 'add', 'sample', hub],
    ...(key === undefined
      ? []
      : [['hub', 'key', 'add', resolve(key), '--hub', 'sample', '--fingerprint', fingerprint]]),
    ['hub', 'list'],
  ];
  const missing =
    key === undefined
      ? [`(to verify packages: write the hub's key with --key-out FILE, then "cdapctl hub key add FILE --hub sample")`]
      : [];
  const more = ['to stop it: Ctrl-C'];
  return ['To try it, in another shell:', ...lines.map((line) => `  ${commandLine(line)}`), ...missing, ...more];
}

function seedWith(seed: Seed | undefined, { pipelines, runs }: { pipelines: number; runs: number }): Seed {
  return {
    ...seed,
    ...(pipelines > 0 && { pipelines: [...(seed?.pipelines ?? []), { count: pipelines }] }),
    ...(runs > 0 && { runs: { count: runs } }),
  };
}

async function read(file: string): Promise<string> {
  return (await readBounded(file, LARGEST_SEED)).toString('utf8');
}

async function readChecked<T>(
  file: string,
  schema: { safeParse(value: unknown): { success: boolean; data?: T; error?: Parameters<typeof describeIssues>[0] } },
): Promise<T> {
  const { success, data, error = { issues: [] } } = schema.safeParse(parseJson(Buffer.from(await read(file)), file));
  if (!success || data === undefined)
    throw new CliError('USAGE', `${file} does not have the expected format`, {
      lines: describeIssues(error),
      hints: ['cdapctl emulator start --help'],
      target: { file },
    });
  return data;
}

async function writeKey(file: string, key: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, key);
  } catch (cause) {
    throw new CliError('LOCAL_IO', `cannot write ${file}`, { cause, target: { file } });
  }
}

function startFailure(cause: unknown): CliError {
  const inUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
  if (inUse) {
    const taken = 'port' in cause ? `port ${String(cause.port)} is taken` : 'a port is taken';
    return new CliError('IN_USE', taken, { hints: ['cdapctl emulator start --port 0 --hub-port 0'] });
  }
  return new CliError('USAGE', `the emulator cannot start: ${cause instanceof Error ? cause.message : String(cause)}`);
}
