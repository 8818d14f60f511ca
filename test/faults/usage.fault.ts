import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it as plain } from 'vitest';
import { parse } from 'yaml';
import { documentOf, it, sampleHub, type Site } from '../support/sites/install-site.js';
import { ENTER, startPty } from '../support/processes/pty.js';
import { environmentOf, runCli, STARTER } from '../support/processes/run-cli.js';
import { broken } from './broken-machine.js';
import { CANARY, judge, type Fault } from './judge.js';

const TRIM = 'example-trim-fields@1.10.0';

/** A line that is wrong in itself: refused before anything is asked. */
const wrong = (line: Fault['line'], says: readonly (string | RegExp)[], more: Partial<Fault> = {}): Promise<void> =>
  judge({
    line,
    fault: () => undefined,
    mend: false,
    exit: 2,
    code: 'USAGE',
    says,
    holds: 'AD',
    look: async (_, site) => {
      expect(await site.requests()).toEqual([]);
    },
    ...more,
  });

/** A pipeline of the package's name with another content: to overwrite it needs a yes. */
async function olderPipeline(site: Site): Promise<void> {
  const config = (await sampleHub()).files.get('packages/example-csv-copy/1.0.0/pipeline.json')?.toString() ?? '';
  await site.call('PUT', '/apps/CsvCopy', {
    artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
    config: config.replace('"maxConcurrentRuns": 1', '"maxConcurrentRuns": 2'),
  });
}

describe('a line that is wrong', () => {
  plain.for([
    ['U01', ['instal', TRIM], /unknown command "instal".*Did you mean "cdapctl install"/u],
    ['U01', ['hub', 'lst'], /unknown command "hub lst".*cdapctl hub list/u],
    ['U01', ['hub', 'list', '--latset'], /unknown flag --latset.*Did you mean --latest/u],
    ['U01', ['hub', 'list', '-o', 'jsom'], /jsom.*Did you mean/u],
    ['U02', ['install'], /specify a package, or a lock file with -f.*cdapctl install NAME/u],
    ['U02', ['hub', 'show', TRIM, 'more'], /unexpected argument "more".*usage cdapctl hub show/u],
    ['P32', ['report', 'show', 'latest', 'share:c2hhcmVkaWQ='], /unexpected argument "share:/u],
    ['U03', ['install', TRIM, '-u', 'cdap.example.com:11015'], /cdap\.example\.com/u],
    ['U03', ['install', TRIM, '-u', `https://admin:${CANARY}@cdap.example.com`], /user/u],
    ['U03', ['install', TRIM, '-u', 'https://cdap.example.com/#part'], /fragment|#/u],
    ['U03', ['hub', 'list', '--hub', `https://admin:${CANARY}@hub.example.com/v2`], /user/u],
    [
      'U05',
      ['hub', 'download', TRIM, '--clobber', '--skip-existing'],
      /--clobber and --skip-existing|--skip-existing and --clobber/u,
    ],
    ['U06', ['hub', 'list', '--retries', '-1'], /--retries/u],
    ['U06', ['hub', 'list', '--retries', '1e3'], /--retries/u],
    ['U06', ['hub', 'list', '--retries', '0x10'], /--retries/u],
    ['U06', ['hub', 'list', '--retries', ' 3'], /--retries/u],
    ['U06', ['hub', 'list', '--connect-timeout', '1e3s'], /--connect-timeout/u],
    ['U06', ['emulator', 'start', '--port', '65536'], /--port/u],
    ['L39', ['install', TRIM, '--token', CANARY], /unknown flag --token.*use a file: --token-file FILE/u],
    ['L39', ['install', TRIM, `--token=${CANARY}`], /unknown flag --token.*use a file: --token-file FILE/u],
    [
      'L39',
      ['install', TRIM, '--passphrase', CANARY],
      /unknown flag --passphrase.*use a file: --passphrase-file FILE/u,
    ],
  ] as const)('%s: %j', async ([, line, says]) => {
    await wrong(() => [...line], [says]);
  });

  plain('U04: sends a token unencrypted to another machine', async () => {
    await wrong(
      (site) => ['install', TRIM, '-y', '--hub', site.hub, '-u', 'http://cdap.example.com:11015'],
      [/allow-?http-?token/iu],
      {
        code: 'PLAIN_HTTP_TOKEN',
        look: () => undefined,
      },
    );
  });

  plain('U09: leaves a question open where nobody can be asked', async () => {
    await wrong((site) => site.line(['example-order-import', '-y']), [/--jar/u], {
      code: 'INPUT_MISSING',
      look: () => undefined,
    });
  });

  plain('U09: leaves the consent open where nobody can be asked', async () => {
    await judge({
      line: (site) => site.line(['example-csv-copy', '--set', '1.name=CsvCopy']),
      fault: olderPipeline,
      mend: false,
      exit: 13,
      code: 'CONSENT_MISSING',
      says: [/-y|--yes/u],
      holds: 'AD',
    });
  });
});

describe('a name that begins with a dash', () => {
  it('U07: stands after --', async ({ site }) => {
    const { code, stdout, stderr, signal } = await site.cdapctl([
      'hub',
      'show',
      '--hub',
      site.hub,
      '--json',
      '--',
      '-trim',
    ]);
    // A name like any other: it is looked for, and not there.
    expect((await documentOf({ code, stdout, stderr, signal })).error.code).toBe('PACKAGE_NOT_FOUND');
    expect((await site.cdapctl(['hub', 'search', '--hub', site.hub, '--', '-trim'])).code).toBe(0);
  });
});

describe('an error in a machine format', () => {
  it.for([
    ['json', 2, ['nonsense']],
    ['json', 2, ['install']],
    ['json', 5, ['hub', 'show', 'nothing-of-this-name']],
    ['json', 7, ['hub', 'list', '--hub', 'http://127.0.0.1:9/v2', '--retries', '0', '--strict']],
    ['yaml', 5, ['hub', 'show', 'nothing-of-this-name']],
    ['ndjson', 5, ['hub', 'show', 'nothing-of-this-name']],
  ] as const)(
    'U08: is one document on stdout, with the code that people get (%s, %i)',
    async ([format, exit, words], { site }) => {
      const env = { CDAPCTL_HUB: site.hub };
      const machine = await site.cdapctl([...words, '-o', format], { env });
      const people = await site.cdapctl(words, { env });
      expect([machine.code, people.code]).toEqual([exit, exit]);
      expect(people.stdout).toBe('');
      const { error } = (format === 'yaml' ? parse(machine.stdout) : JSON.parse(machine.stdout)) as {
        error: { code: string; exitCode: number };
      };
      expect(error.exitCode).toBe(exit);
      expect(people.stderr).toContain(`[${error.code}]`);
    },
  );
});

describe('a question', () => {
  it('U10: that is answered with no ends with 13, and nothing was done', async ({ site }) => {
    await olderPipeline(site);
    await site.forget();
    const pty = startPty(
      site.line(['example-csv-copy', '--set', '1.name=CsvCopy']),
      site.home,
      join(site.home, 'result'),
    );
    await pty.see('?');
    pty.type(`n${ENTER}`);
    expect(await pty.end()).toBe(13);
    expect(pty.shown()).toContain('[DECLINED]');
    expect(await site.writes()).toEqual([]);
  });
});

describe('help and version', () => {
  const broke = (home: string): void => {
    mkdirSync(join(home, '.config', 'cdapctl'), { recursive: true });
    writeFileSync(join(home, '.config', 'cdapctl', 'config.yaml'), 'hubs: [ {');
  };

  it.for([['--help'], ['--version'], ['install', '--help'], ['help', 'trust'], ['version', '--help']])(
    'U11: %j need nothing',
    async (words, { site }: { site: Site }) => {
      broke(site.home);
      const whole = await site.cdapctl(words);
      expect([whole.code, whole.stderr]).toEqual([0, '']);
      const bare = {
        HOME: undefined,
        USERPROFILE: undefined,
        XDG_CONFIG_HOME: undefined,
        XDG_STATE_HOME: undefined,
        XDG_CACHE_HOME: undefined,
      };
      const child = spawn('sh', ['-c', '"$@" <&-', 'sh', process.execPath, STARTER, ...words], {
        env: environmentOf(site.home, { ...bare, CDAPCTL_CACHE_DIR: join(site.home, 'cache') }),
      });
      let out = '';
      child.stdout.on('data', (data: Buffer) => {
        out += data.toString();
      });
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(out).toBe(whole.stdout);
    },
  );
});

describe('an old Node', () => {
  plain.for(['0.10.48', '14.21.3', '18.20.4', '20.18.0'])('U12: %s is told from a bug', async (node) => {
    const env = broken({ FAULT_NODE: node });
    const json = await runCli(['hub', 'list', '--json'], { env });
    const { error } = await documentOf(json);
    expect(error).toMatchObject({ code: 'NODE_TOO_OLD', exitCode: 2 });
    const people = await runCli(['hub', 'list'], { env });
    expect(people).toMatchObject({ code: 2, stdout: '' });
    expect(people.stderr).toBe(`Error: Node ${node} is too old, at least 20.18.1 is needed  [NODE_TOO_OLD]\n`);
  });

  plain.for(['20.18.1', '20.19.0', '22.3.0', '100.0.0'])('U12: %s is none', async (node) => {
    expect((await runCli(['--version'], { env: broken({ FAULT_NODE: node }) })).code).toBe(0);
  });

  plain('U12: is told in a language that the oldest Node knows', () => {
    const program = readFileSync(STARTER, 'utf8').replace(/\/\*[\s\S]*?\*\/|'[^']*'|\/\^.*?\$\//gu, '');
    expect(program).not.toMatch(/=>|`|\?\.|\?\?|\b(?:const|let|class|async|await|import|export)\b/u);
  });
});
