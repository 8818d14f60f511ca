import { CliError } from '../core/errors.js';
import { visible } from '../output/escape.js';
import type { Platform } from '../platform/client.js';
import type { Endpoint } from '../platform/endpoint.js';
import { beforeDashes } from './line/argv.js';
import { commandLine, withFlags } from './line/command-line.js';
import { withoutFlags } from './line/rewrite-line.js';
import { askText, askYesNo, type Asker } from './terminal/prompts.js';
import type { Session } from './session.js';
import type { GivenFlags, KnownContexts } from './settings.js';
import { isSameAddress } from '../core/hub-address.js';

/** What a command changes or removes: a platform, or something of the tool's own such as a key. */
export type Changes = 'platform' | 'own';

/** What a yes is wanted for; all questions and refusals are made of this. */
export interface Change {
  /** As an order, with counts: `upgrade 80 pipelines`. */
  readonly deed: string;
  readonly preposition?: 'in' | 'into' | 'from';
  /** The namespaces, with how much is in each where there are several. */
  readonly namespaces?: ReadonlyMap<string, number>;
  readonly target?: { readonly url: string; readonly context: string | undefined };
  /** What should be known before the answer, as sentences that begin lower-case. */
  readonly remarks?: readonly string[];
  /** Whether Enter means yes. */
  readonly proposal?: boolean;
  /**
   * What is said where there is no terminal at all and it is done without a question. Undefined: a yes is wanted there,
   * too.
   */
  readonly unattended?: string;
  /** Takes nothing away. Only a protected context wants its name. */
  readonly isHarmless?: boolean;
  /** So much is taken away at once that -y is not enough: `--confirm` must allow as many. */
  readonly count?: number;
  /** Name of the context that is changed itself, and whether it is protected. */
  readonly context?: { readonly name: string; readonly protected: boolean };
}

/** The one way to a yes; nothing is written on a platform before it. */
export interface Consent {
  /**
   * Resolves once there is a yes.
   * @throws CONSENT_MISSING where nobody can be asked, DECLINED for a no
   */
  ask(change: Change): Promise<void>;
  /** The platform that refuses to write as long as there is no yes. */
  guard(platform: Platform): Platform;
}

/** What consent is found in. */
export interface ConsentDeps {
  readonly changes: Changes | undefined;
  readonly flags: GivenFlags;
  readonly session: Pick<Session, 'argv' | 'terminal'>;
  readonly asker: Asker | undefined;
  readonly found: KnownContexts;
}

const MOST_NAMED = 5;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function placeOf({ preposition = 'in', namespaces }: Change): string {
  const names = [...(namespaces?.keys() ?? [])];
  if (names.length === 0) return '';
  return names.length === 1
    ? ` ${preposition} namespace ${names[0] ?? ''}`
    : ` ${preposition} ${names.length} namespaces`;
}

function countsOf({ namespaces }: Change): string {
  if (namespaces === undefined || namespaces.size < 2) return '';
  const sorted = [...namespaces].sort(([, one], [, other]) => other - one);
  const named = sorted.slice(0, MOST_NAMED).map(([name, count]) => `${name} ${count}`);
  const more = sorted.length - named.length;
  return `: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** What is about to be done, where and to how much, as one sentence without an end. */
export function sentenceOf(change: Change): string {
  const { deed, target } = change;
  const platform =
    target === undefined
      ? ''
      : target.context === undefined
        ? ` on ${target.url}`
        : ` on ${target.context} (${target.url})`;
  return visible(`${deed}${placeOf(change)}${platform}${countsOf(change)}`);
}

const questionOf = (change: Change): string =>
  [`${capital(sentenceOf(change))}?`, ...(change.remarks ?? []).map((remark) => `${visible(capital(remark))}.`)].join(
    ' ',
  );

const lineWith = (argv: readonly string[], ...flags: readonly string[]): string => commandLine(withFlags(argv, flags));

function missing(change: Change, why: readonly string[], hint: string): CliError {
  const reasons = [sentenceOf(change), ...(change.remarks ?? []).map(visible), ...why];
  return new CliError('CONSENT_MISSING', `confirmation required: ${reasons.join('; ')}`, { hints: [hint] });
}

/** The names of the protected contexts that a change concerns. */
function protectedBy({ context, target }: Change, found: KnownContexts): readonly string[] {
  if (context !== undefined) return context.protected ? [context.name] : [];
  return target === undefined ? [] : protectingContexts(found, target.url);
}

/** Checks `--confirm`: it names the very context that is changed. */
function refuseOtherName(
  confirmed: string,
  names: readonly string[],
  change: Change,
  { argv }: Pick<Session, 'argv'>,
): void {
  const own = change.context?.name ?? change.target?.context;
  // Another name of the same address counts where the line chose none that is protected itself.
  const wanted = own !== undefined && (names.length === 0 || names.includes(own)) ? [own] : names;
  if (wanted.includes(confirmed)) return;
  const [first] = names;
  const why =
    names.length > 0
      ? `--confirm ${visible(JSON.stringify(confirmed))} is not the name of the context to change`
      : 'this changes no protected context: remove --confirm';
  const kept = withoutFlags(argv, { confirm: { type: 'option' } });
  const hasYes = beforeDashes(kept).some((word) => word === '-y' || word === '--yes');
  const yes = hasYes ? [] : ['-y'];
  throw missing(change, [why], lineWith(kept, ...(first === undefined ? yes : ['--confirm', first])));
}

async function askName(name: string, change: Change, { asker, session }: ConsentDeps): Promise<void> {
  const why = `context ${visible(name)} is protected`;
  if (asker === undefined) throw missing(change, [why], lineWith(session.argv, '--confirm', name));
  const question = `${questionOf(change)} ${capital(why)}. Type its name to confirm:`;
  const typed = await askText(
    question,
    undefined,
    () => undefined,
    asker,
    (text) => text.trim() !== name,
  );
  if (typed?.trim() !== name) throw new CliError('DECLINED', 'the name does not match; nothing was changed');
}

async function askYes(change: Change, { asker, session }: ConsentDeps): Promise<void> {
  if (change.unattended !== undefined && !session.terminal.attended) {
    session.terminal.note(change.unattended);
    return;
  }
  if (asker === undefined) throw missing(change, [], lineWith(session.argv, '-y'));
  if (!(await askYesNo(questionOf(change), change.proposal ?? false, asker)))
    throw new CliError('DECLINED', 'declined; nothing was changed');
}

async function askCount(count: number, change: Change, deps: ConsentDeps): Promise<void> {
  const { flags, asker, session } = deps;
  const { confirm, yes } = flags;
  if (typeof confirm === 'number' && confirm >= count) return;
  if (typeof confirm !== 'number' && asker !== undefined) {
    await askYes(change, deps);
    return;
  }
  const few = typeof confirm === 'number' ? [`--confirm ${confirm} allows fewer`] : [];
  const why = few.length === 0 && yes === true ? ['-y is not enough'] : few;
  const kept = withoutFlags(session.argv, { confirm: { type: 'option' } });
  throw missing(change, why, lineWith(kept, '--confirm', String(count)));
}

/**
 * Makes the consent of one run. A command that does not declare its changes cannot get it, and cannot write to a
 * platform.
 */
export function consentOf(deps: ConsentDeps): Consent {
  const { changes, flags, session, found } = deps;
  let isGiven = false;
  const check = <P, R>({ method, asks }: Endpoint<P, R>): void => {
    if (isGiven || method === 'GET' || asks === true) return;
    throw new CliError('INTERNAL', `a ${method} request was about to be sent before confirmation; nothing was sent`);
  };
  return {
    async ask(change) {
      if (changes === undefined)
        throw new CliError('INTERNAL', 'the command asks for confirmation but does not declare what it changes');
      const { confirm, yes } = flags;
      const names = protectedBy(change, found);
      const [first] = names;
      if (typeof confirm === 'string') refuseOtherName(confirm, names, change, session);
      else if (first !== undefined) await askName(first, change, deps);
      else if (change.isHarmless !== true && change.count !== undefined) await askCount(change.count, change, deps);
      else if (yes !== true && change.isHarmless !== true) await askYes(change, deps);
      isGiven = true;
    },
    guard: (platform) => ({
      base: platform.base,
      call: async (endpoint, parameters, signal) => {
        check(endpoint);
        return platform.call(endpoint, parameters, signal);
      },
      find: async (endpoint, parameters, signal) => {
        check(endpoint);
        return platform.find(endpoint, parameters, signal);
      },
    }),
  };
}

/** The names of the protected contexts of a platform. The chosen one comes first, then all others with its address. */
export function protectingContexts({ settings, sources }: KnownContexts, url: string): readonly string[] {
  const chosen = settings.context?.value;
  const here = [sources.user, sources.system].flatMap((file) =>
    Object.entries(file?.config.contexts ?? {}).flatMap(([name, context]) =>
      context.protected === true && isSameAddress(context.url, url) ? [name] : [],
    ),
  );
  return [...new Set([...(chosen?.protected === true ? [chosen.name] : []), ...here])];
}
