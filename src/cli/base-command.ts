import { Command } from '@oclif/core/command';
import { partsOf } from '../core/collections.js';
import type { Config } from '@oclif/core/config';
import type { ArgInput, FlagInput, Input, ParserOutput } from '@oclif/core/interfaces';
import { CliError, type ErrorCode } from '../core/errors.js';
import { formatOf, isOff, isOn, readLine, tableOf } from './line/argv.js';
import { commandLine, withFlags } from './line/command-line.js';
import { visible } from '../output/escape.js';
import { isMachineFormat } from '../output/format.js';
import type { RenderOptions, View } from '../output/view-types.js';
import { leftOutText } from '../output/writers/fit-columns.js';
import type { Change, Changes } from './consent.js';
import type { createContext } from './context.js';
import type { CommandContext } from './context-types.js';
import { outputFlags } from '../flags/output.js';
import { withTwins } from '../flags/environment-names.js';
import { homeOf } from './folders.js';
import type { Session } from './session.js';
import type { FoundSettings } from './settings.js';
import type { Terminal } from './terminal/terminal.js';

type ContextFlags = Parameters<typeof createContext>[0];
type Values = Record<string, unknown>;

/** What all commands share: reading the line, showing a result, the signal that ends the run. */
export abstract class BaseCommand extends Command {
  static override baseFlags = outputFlags;
  static override flags = {};
  static override examples: string[] = [];
  /** Errors that this command is known for, beyond those of every command; help lists their exit codes. */
  static readonly failures: readonly ErrorCode[] = [];
  /** Whether it may ask a platform or a hub, if it has the flags for it. */
  static readonly requests: boolean = true;
  /** What it changes or removes: that is done only after a yes (`cli/consent.ts`). */
  static readonly changes: Changes | undefined = undefined;
  /**
   * Whether the value of a flag may be empty, which takes a setting away. Elsewhere a variable of the shell is unset.
   */
  static readonly takesEmpty: boolean = false;
  /** Commands and topics to read next. */
  static readonly seeAlso: readonly string[] = [];

  protected readonly session: Session;
  private asked: Readonly<Values> = {};
  /** Names of the flags that stand on the line; the others come from the environment or are not given. */
  protected onLine: ReadonlySet<string> = new Set();
  private changes: Changes | undefined;
  private takesEmpty = false;
  private opened: CommandContext | undefined;
  /** Columns that the terminal had no room for. */
  private leftOut = 0;

  constructor(argv: string[], config: Config, session: Session) {
    super(argv, config);
    this.session = session;
  }

  /** Runs a command of this class; the only way in, so that oclif's configuration is loaded once. */
  static async start(
    this: (new (argv: string[], config: Config, session: Session) => BaseCommand) &
      Pick<typeof BaseCommand, 'changes' | 'takesEmpty'>,
    argv: string[],
    config: Config,
    session: Session,
  ): Promise<void> {
    const command = new this(argv, config, session);
    command.changes = this.changes;
    command.takesEmpty = this.takesEmpty;
    await command._run();
  }

  /** Aborted when the process is asked to end. */
  protected get signal(): AbortSignal {
    return this.session.signal;
  }

  protected get terminal(): Terminal {
    return this.session.terminal;
  }

  /**
   * Flags and arguments, checked. Arguments never come from stdin, repeatable flags are lists wherever their values
   * come from.
   */
  protected override async parse<F extends Values, B extends Values, A extends Values>(
    options: Input<F, B, A>,
    argv = this.argv,
  ): Promise<ParserOutput<F, B, A>> {
    const args: ArgInput = options.args ?? {};
    for (const arg of Object.values(args)) arg.ignoreStdin = true;
    const own: FlagInput = withTwins(options.flags ?? {});
    const all: FlagInput = { ...options.baseFlags, ...own };
    const added = wordsOfEnvironment(argv, all, this.session.env);
    const words = [...withFlags(withOptionalValues(argv, all), added.words)];
    const parsed = await super.parse(options, words).catch(async (error: unknown) => {
      const { namingVariables } = await import('./name-variables.js');
      throw namingVariables(error, all, argv, this.session);
    });
    if (!this.takesEmpty) refuseEmpty(parsed, all);
    const values: Values = parsed.flags;
    for (const [name, flag] of Object.entries(own)) {
      const value = values[name];
      if (flag.type !== 'option' || flag.multiple !== true || value === undefined) continue;
      const several: unknown[] = Array.isArray(value) ? value : [value];
      if (flag.delimiter !== undefined && several.includes(''))
        throw new CliError('USAGE', `--${name}: the list has an empty value`);
      values[name] = several;
    }
    this.asked = values;
    const names = parsed.raw.flatMap((token) => (token.type === 'flag' ? [token.flag] : []));
    this.onLine = new Set(names.filter((name) => !added.names.has(name)));
    if (this.onLine.has('json') && this.onLine.has('output') && values['output'] !== 'json')
      throw new CliError('USAGE', '--json and --output cannot be used together');
    return parsed;
  }

  /** Everything that flags, environment and configuration say; closed when the command has ended. */
  protected async context(flags: ContextFlags): Promise<CommandContext> {
    const { createContext } = await import('./context.js');
    const context = await createContext(flags, this.session, this.onLine, this.changes);
    this.opened = context;
    return context;
  }

  /** Asks for the yes to a change of what is the tool's own, for commands without a context. */
  protected async consent(change: Change, found: FoundSettings): Promise<void> {
    const [{ consentOf }, { askerFor }] = await Promise.all([import('./consent.js'), import('./terminal/prompts.js')]);
    const { session, asked: flags } = this;
    const asker = askerFor(session, homeOf(session.env), flags);
    await consentOf({ changes: this.changes, flags, session, asker, found }).ask(change);
  }

  protected override async catch(error: Error): Promise<unknown> {
    const { flags } = this.ctor;
    if (!(error instanceof CliError) || error.code !== 'EXISTS') return super.catch(error);
    const { withHintsFor } = await import('./errors.js');
    return super.catch(withHintsFor(error, new Set(Object.keys(flags))));
  }

  protected override async finally(): Promise<void> {
    if (this.leftOut > 0) this.terminal.tell(leftOutText(this.leftOut));
    await this.opened?.close();
  }

  /**
   * Writes a result to stdout in the format of the line; stops early when the reader went away. People read `none` in
   * place of an empty table.
   */
  protected async show<R>(view: View<R>, result: R, none?: string): Promise<void> {
    let empty: string | undefined;
    const onEmpty = (usual: string): unknown => (empty = none ?? usual);
    for await (const text of view.render(result, { ...this.renderOptions(), onEmpty })) {
      if (this.terminal.closed) return;
      await this.terminal.write(text);
    }
    if (empty !== undefined && empty !== '') this.terminal.tell(empty);
  }

  /** Tells people which command comes next. */
  protected tellNext(...words: readonly string[]): void {
    const { argv, env } = this.session;
    if (!isMachineFormat(formatOf(argv, env))) this.terminal.tell(`next: ${visible(commandLine(words))}`);
  }

  /** How this line wants its result written. */
  protected renderOptions(): RenderOptions {
    const { argv, env, terminal } = this.session;
    const { fields } = this.asked;
    return {
      format: formatOf(argv, env),
      look: terminal.stdout,
      fields: typeof fields === 'string' ? partsOf(fields) : undefined,
      header: this.asked['no-headers'] !== true && this.asked['no-header'] !== true,
      csvRaw: this.asked['csv-raw'] === true,
      warnings: () => terminal.warnings,
      onLeftOut: (columns) => (this.leftOut = columns),
    };
  }
}

/**
 * Adds a value to flags that are given without their optional one. oclif knows only flags that need a value; the first
 * of the options is added.
 */
function withOptionalValues(argv: readonly string[], flags: FlagInput): string[] {
  const table = tableOf(flags);
  const words = [...argv];
  for (const { flag, at } of readLine(argv, table).flags) {
    const defined = flags[flag.slice(2)];
    if (argv[at] === flag && defined?.type === 'option' && table.get(flag) === false)
      words[at] = `${flag}=${defined.options?.[0] ?? ''}`;
  }
  return words;
}

/**
 * Turns variables that oclif reads differently into words of a command line. These are lists and the word "on". Flags
 * on the line win.
 * @throws USAGE when the variable of a flag without a value says neither yes nor no
 */
function wordsOfEnvironment(
  argv: readonly string[],
  flags: FlagInput,
  env: Session['env'],
): { readonly words: readonly string[]; readonly names: ReadonlySet<string> } {
  const all = Object.entries(flags);
  const given = new Set(readLine(argv, tableOf(flags)).flags.map(({ flag }) => flag));
  const words = new Map<string, string>();
  for (const [name, flag] of all) {
    const value = env[flag.env ?? ''] ?? '';
    if (value === '' || given.has(`--${name}`) || given.has(`-${flag.char ?? '-'}`)) continue;
    if (flag.type === 'option') {
      if (flag.delimiter !== undefined) words.set(name, `--${name}=${value}`);
    } else if (isOn(value)) words.set(name, `--${name}`);
    else if (!isOff(value))
      throw new CliError('USAGE', `${flag.env ?? ''}: ${JSON.stringify(value.slice(0, 40))} is neither yes nor no`, {
        hints: [`unset ${flag.env ?? ''}, or set it to true or false`],
      });
  }
  return { words: [...words.values()], names: new Set(words.keys()) };
}

function refuseEmpty({ raw }: Pick<ParserOutput, 'raw'>, flags: FlagInput): void {
  for (const token of raw) {
    if (token.type !== 'flag' || token.input !== '') continue;
    const flag = flags[token.flag];
    if (flag?.type !== 'option') continue;
    const form = `--${token.flag}`;
    throw new CliError('USAGE', `${form}: the value is empty`, {
      hints: [`remove ${form}, or use ${form} ${String(flag.helpValue ?? 'VALUE')}`],
    });
  }
}
