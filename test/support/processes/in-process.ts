import { join } from 'node:path';
import { toCliError } from '../../../src/cli/errors.js';
import { loadConfig } from '../../../src/cli/config.js';
import type { CommandClass } from '../../../src/cli/program.js';
import type { Session } from '../../../src/cli/session.js';
import type { CliError } from '../../../src/core/errors.js';
import { systemClock } from '../../../src/cli/clock.js';
import { environmentOf, ROOT } from './run-cli.js';
import { fakeTerminal, type FakeTerminal } from './terminal.js';

/** What a command did that ran inside the process of the test. */
export interface InProcess {
  readonly error: CliError | undefined;
  readonly terminal: FakeTerminal;
}

/** The class of a command, from its file. */
export async function commandOf(id: string): Promise<CommandClass> {
  const file = join(ROOT, 'src', 'commands', `${id.replaceAll(':', '/')}.ts`);
  return ((await import(file)) as { readonly default: CommandClass }).default;
}

/** Runs a command without starting a process: for many lines whose start costs more than they do. */
export async function runInProcess(
  id: string,
  words: readonly string[],
  home: string,
  facts: Parameters<typeof fakeTerminal>[0] & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<InProcess> {
  const terminal = fakeTerminal(facts);
  const { signal } = new AbortController();
  const session: Session = {
    argv: [...id.split(':'), ...words],
    env: environmentOf(home, facts.env),
    terminal,
    clock: systemClock,
    signal,
    build: { version: '0.0.0', commit: '', root: ROOT, node: '20.18.1', system: 'linux x64' },
    reload: new Set(),
    writing: new Set(),
  };
  const command = await commandOf(id);
  command.id = id;
  try {
    await command.start([...words], await loadConfig(session.build), session);
    return { error: undefined, terminal };
  } catch (error) {
    return { error: toCliError(error, signal), terminal };
  }
}
