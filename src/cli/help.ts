import type { FlagInput } from '@oclif/core/interfaces';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { closest } from '../core/closest.js';
import { CliError } from '../core/errors.js';
import { parseJson } from '../core/json/json.js';
import { exitCodesOf } from '../output/exit-codes.js';
import { HELP_TOPICS } from '../output/help-topics.js';
import { commandHelp, commandList, flagList, pageFor, type CommandHelp, type HelpEntry } from '../output/help-view.js';
import { connectionFlags } from '../flags/connection.js';
import { outputFlags } from '../flags/output.js';
import { withTwins } from '../flags/environment-names.js';
import type { CommandClass, CommandTable } from './program.js';
import { commandOf, isTopic } from './line/argv.js';
import type { Build } from './session.js';
import type { Terminal } from './terminal/terminal.js';
import { unknownCommand } from './line/suggest.js';
import { usageOf, valueWord } from '../output/usage.js';

/** Flags that only `help flags` tells of; the namespace is of the command, wherever it has one. */
const GLOBAL: FlagInput = { ...outputFlags, ...connectionFlags };
const FLAGS_TOPIC = 'flags';
const NOUNS: Readonly<Record<string, string>> = {
  args: 'Show, change and check the stored arguments of pipelines',
  config: 'Show and change settings',
  context: 'Manage named connections to platforms',
  hub: 'List, verify and download packages of hubs, and host a hub',
  installed: 'List, show and uninstall packages installed from this machine',
  report: 'Generate, list, download, share and delete reports of program runs',
  preferences: 'Show and change preferences of the instance, namespaces and pipelines',
  metrics: 'Show pipeline metrics: records, errors, times',
  pipeline: 'List, start, stop and watch pipelines, and read their logs',
  namespace: 'List namespaces of the platform',
  artifact: 'List artifacts of the platform',
  schedule: 'List, suspend and resume schedules of pipelines',
  emulator: 'Run an embedded platform for testing',
};
const Manifest = z.object({
  commands: z.record(z.string(), z.object({ summary: z.optional(z.string()), hidden: z.optional(z.boolean()) })),
});

interface HelpSession {
  readonly build: Pick<Build, 'root'>;
  readonly terminal: Pick<Terminal, 'stdout' | 'write'>;
}

/** Writes the help that words ask for: a command, a group of commands, a topic, or all. */
export async function writeHelp(words: readonly string[], table: CommandTable, session: HelpSession): Promise<void> {
  const page = await helpText(words, table, session);
  await session.terminal.write(pageFor(session.terminal.stdout, page));
}

async function helpText(words: readonly string[], table: CommandTable, session: HelpSession): Promise<string> {
  const ids = Object.keys(table);
  if (words.join() === 'help') return helpText([], table, session);
  const id = commandOf(words, ids);
  const load = id?.split(':').length === words.length ? table[id] : undefined;
  if (id !== undefined && load !== undefined) return helpOf(id, (await load()).default);
  if (words.join() === FLAGS_TOPIC) return globalFlags();
  const topic = words.length === 1 ? HELP_TOPICS[words[0] ?? ''] : undefined;
  if (topic !== undefined) return topic.text();
  if (words.length > 0 && !isTopic(words, ids)) throw noSuchHelp(words, ids);
  const summaries = await summariesOf(session);
  return words.length === 0 ? rootHelp(ids, summaries) : groupHelp(words, ids, summaries);
}

function noSuchHelp(words: readonly string[], ids: readonly string[]): CliError {
  const near = closest(words[0] ?? '', [FLAGS_TOPIC, ...Object.keys(HELP_TOPICS)]);
  if (near === undefined) return unknownCommand(words, ids);
  return new CliError('USAGE', `no help topic "${words.join(' ')}"`, {
    hints: [`Did you mean "cdapctl help ${near}"?`],
  });
}

function helpOf(id: string, command: CommandClass): string {
  const flags: FlagInput = { ...command.baseFlags, ...withTwins(command.flags) };
  const own = Object.entries(flags).filter(([name, flag]) => name === 'namespace' || GLOBAL[name] !== flag);
  return commandHelp({
    summary: command.summary ?? '',
    description: command.description,
    usage: usageOf(id, { args: command.args, flags }),
    examples: command.examples,
    args: Object.entries(command.args).map(([name, arg]) => ({
      label: name.toUpperCase(),
      text: arg.description ?? '',
    })),
    groups: groupsOf(own),
    exitCodes: exitCodesOf(command.failures, command.requests && 'token-file' in flags),
    seeAlso: command.seeAlso,
  });
}

/** Flags by their groups, those of no group first. */
function groupsOf(flags: readonly (readonly [name: string, flag: FlagInput[string]])[]): CommandHelp['groups'] {
  const groups = new Map<string, HelpEntry[]>([['FLAGS', []]]);
  const home = flags.some(([, { helpGroup }]) => helpGroup === 'SELECTION') ? 'SELECTION' : 'FLAGS';
  for (const [name, flag] of flags) {
    if (flag.hidden === true) continue;
    const group = flag === connectionFlags.namespace ? home : (flag.helpGroup ?? 'FLAGS');
    const value = flag.type === 'boolean' ? '' : valueWord(name, flag.helpValue);
    const gap = value === '' || value.startsWith('[=') ? '' : ' ';
    const long = `--${flag.type === 'boolean' && flag.allowNo ? '[no-]' : ''}${name}${gap}${value}`;
    const label = `${flag.char === undefined ? '    ' : `-${flag.char}, `}${long}`;
    groups.set(group, [...(groups.get(group) ?? []), { label, text: flagText(flag, label) }]);
  }
  return [...groups];
}

function globalFlags(): string {
  const [, ...groups] = groupsOf(Object.entries(GLOBAL).filter(([name]) => name !== 'namespace'));
  const help = { label: '-h, --help', text: 'show this help' };
  return flagList('Global flags; connection flags apply to commands that use a platform or a hub', [
    ['FLAGS', [help, { label: '-V, --version', text: 'show the version' }]],
    ...groups,
  ]);
}

/** What a flag does, and its values where its label does not name them. */
function flagText(flag: FlagInput[string], label: string): string {
  const values = flag.type === 'option' ? (flag.options ?? []) : [];
  const options = label.includes(values.join('|')) ? '' : ` (${values.join(', ')})`;
  const text = (flag.summary ?? flag.description ?? '').replace(/; repeatable$/u, '');
  if (flag.type !== 'option' || flag.multiple !== true) return text + options;
  return `${text}${options}; ${flag.delimiter === undefined ? 'repeatable' : 'a,b or repeated'}`;
}

async function summariesOf(session: HelpSession): Promise<ReadonlyMap<string, string>> {
  const file = join(session.build.root, 'oclif.manifest.json');
  const { commands } = z.parse(Manifest, parseJson(await readFile(file), 'oclif.manifest.json'));
  return new Map(
    Object.entries(commands).flatMap(([id, { summary, hidden }]) => (hidden === true ? [] : [[id, summary ?? '']])),
  );
}

function rootHelp(ids: readonly string[], summaries: ReadonlyMap<string, string>): string {
  const heads = [...new Set(ids.filter((id) => summaries.has(id)).map((id) => id.split(':')[0] ?? ''))].sort();
  const entries = heads.map((head) => ({ label: head, text: summaries.get(head) ?? NOUNS[head] ?? '' }));
  const topics = [FLAGS_TOPIC, ...Object.keys(HELP_TOPICS)].map((topic) => `cdapctl help ${topic}`);
  return commandList(
    'cdapctl: administer the CDAP data platform: packages, upgrades, reports and metrics',
    entries,
    'cdapctl COMMAND [flags]',
    [
      [
        'examples',
        [
          'cdapctl login -u https://cdap.example.com:10443',
          'cdapctl pipeline list -A --status FAILED',
          'cdapctl install NAME@VERSION --dry-run',
        ],
      ],
      ['help', ['cdapctl COMMAND --help', ...topics]],
    ],
  );
}

function groupHelp(words: readonly string[], ids: readonly string[], summaries: ReadonlyMap<string, string>): string {
  const prefix = `${words.join(':')}:`;
  const inside = ids.filter((id) => id.startsWith(prefix) && summaries.has(id)).sort();
  const entries = inside.map((id) => ({
    label: id.slice(prefix.length).replaceAll(':', ' '),
    text: summaries.get(id) ?? '',
  }));
  const name = words.join(' ');
  return commandList(NOUNS[name] ?? `Commands of ${name}`, entries, `cdapctl ${name} COMMAND [flags]`, [
    ['help', [`cdapctl ${name} COMMAND --help`]],
  ]);
}
