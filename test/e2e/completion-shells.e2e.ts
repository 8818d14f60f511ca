import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellWord } from '../../src/core/shell-word.js';
import { environmentOf, STARTER } from '../support/processes/run-cli.js';
import { openUpgradeSite, type UpgradeSite } from '../support/sites/upgrade-site.js';

const SEED = { namespaces: ['etl', 'sales'], pipelines: [{ count: 1, namespace: 'etl', prefix: 'orders-' }] };

let site: UpgradeSite;
let pipeline: string;

beforeAll(async () => {
  site = await openUpgradeSite({ seed: SEED });
  mkdirSync(join(site.home, 'bin'));
  const starter = join(site.home, 'bin', 'cdapctl');
  writeFileSync(starter, `#!/bin/sh\nexec '${process.execPath}' '${STARTER}' "$@"\n`);
  chmodSync(starter, 0o755);
  writeFileSync(join(site.home, 'token.txt'), '');
  await site.cdapctl(['context', 'add', 'prod', '-u', site.url, '-n', 'etl']);
  await site.cdapctl(['namespace', 'list']);
  pipeline = (await site.cdapctl(['pipeline', 'list', '-o', 'name'])).stdout.trim().replace(/^etl\//u, '');
  expect(pipeline).toMatch(/^\w/u);
});

afterAll(() => site.close());

/** Runs a script in a shell that finds the tool; gives its lines. */
async function run(shell: string, args: readonly string[]): Promise<readonly string[]> {
  const env = environmentOf(site.home, { TERM: 'xterm' });
  const path = `${join(site.home, 'bin')}${delimiter}${env['PATH'] ?? ''}`;
  const options = { cwd: site.home, env: { ...env, PATH: path }, timeout: 50_000 };
  const { stdout, stderr } = await promisify(execFile)(shell, args, options);
  expect(stderr).toBe('');
  return stdout.split(/\r?\n/u).slice(0, -1);
}

/** A line, and what it is after the Tab key. */
const linesOf = (): readonly (readonly [typed: string, completed: string])[] => [
  ['cdapctl cont', 'cdapctl context '],
  ['cdapctl context us', 'cdapctl context use '],
  ['cdapctl context use ', 'cdapctl context use prod '],
  ['cdapctl install --insec', 'cdapctl install --insecure-skip-tls-verify '],
  ['cdapctl namespace list --output=nd', 'cdapctl namespace list --output=ndjson '],
  ['cdapctl dashboard -n sa', 'cdapctl dashboard -n sales '],
  ['cdapctl pipeline show ', `cdapctl pipeline show ${pipeline} `],
  ['cdapctl upgrade -a tok', 'cdapctl upgrade -a token.txt '],
  ['cdapctl upgrade --token-file=tok', 'cdapctl upgrade --token-file=token.txt '],
];

/** Types lines and the Tab key in a terminal of zsh, and prints each line as it is then. */
const ZSH = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; autoload -Uz compinit; compinit -u -D; $1; finish() { zle -I; print -r -- \\"LINE<\\$BUFFER>\\"; BUFFER=; }; zle -N finish; bindkey '^G' finish; print REA''DY"
zpty -r z out '*READY*'
for line in "\${@[2,-1]}"; do
  zpty -w -n z "$line"$'\\t\\a'
  zpty -r z out '*LINE<*>*'
  print -r -- "\${\${out##*LINE<}%%>*}"
done
`;
const isThere = (shell: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, shell)));
const absent = (shell: string): string => `${shell} is not installed: apt-get install ${shell}`;

describe('the Tab key', () => {
  it('in zsh completes commands, flags, values, names and files', async ({ skip }) => {
    skip(!isThere('zsh'), absent('zsh'));
    const lines = linesOf();
    mkdirSync(join(site.home, 'functions'));
    await run('sh', ['-c', 'cdapctl completion zsh > functions/_cdapctl']);
    for (const load of ['source <(cdapctl completion zsh)', 'fpath=(~/functions $fpath); compinit -u -D']) {
      const shown = await run('zsh', ['-f', '-c', ZSH, 'zsh', load, ...lines.map(([typed]) => typed)]);
      expect(shown, load).toEqual(lines.map(([, completed]) => completed));
    }
  });

  it('in fish completes commands, flags, values, names and files', async ({ skip }) => {
    skip(!isThere('fish'), absent('fish'));
    const lines = linesOf();
    const asked = lines.map(([typed]) => `complete -C ${shellWord(typed)}; echo ---`);
    const script = ['cdapctl completion fish | source', ...asked].join('\n');
    const shown = (await run('fish', ['--no-config', '-c', script])).join('\n').split('---');
    const words = lines.map(([, completed]) => completed.trim().split(' ').at(-1));
    expect(shown.slice(0, -1).map((text) => text.trim().split('\t')[0])).toEqual(words);
  });

  it('in bash completes commands, flags, values and names', async () => {
    const words = (...line: readonly string[]): string => line.map(shellWord).join(' ');
    const ask = (...line: readonly string[]): string =>
      `COMP_WORDS=(cdapctl ${words(...line)}); COMP_CWORD=${line.length}; _cdapctl; echo "\${COMPREPLY[@]}"`;
    const script = [
      'source <(cdapctl completion bash)',
      ask('context', 'u'),
      ask('context', 'use', ''),
      ask('dashboard', '--context', '=', 'p'),
      ask('pipeline', 'show', ''),
      'complete -p cdapctl',
    ].join('\n');
    const shown = await run('bash', ['-c', script]);
    expect(shown).toEqual(['use', 'prod', 'prod', pipeline, 'complete -F _cdapctl cdapctl']);
  });
});
