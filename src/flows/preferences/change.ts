import type { CommandContext } from '../../cli/context-types.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { counted } from '../../core/counted.js';
import { visible } from '../../output/escape.js';
import { valueText, type ShownChange } from '../../output/views/preferences.js';
import type { Level } from '../../platform/preferences.js';
import { changePreferences, mergedValues, type PreferenceChange } from '../../services/preferences/change.js';
import { isSecret } from '../../core/secrets/shown-value.js';
import { placeWords, readPreferences, type Values } from '../../services/preferences/place.js';
import { beginWrite } from '../writing.js';
import { DRY_RUN, targetLine } from '../target-line.js';
import type { ChosenPlace } from './place.js';
import { shownChanges } from './show.js';

/** A place whose values are changed, and how they are called. */
export interface ChangeOptions extends ChosenPlace {
  readonly session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'consent' | 'emit'>;
  readonly flags: { readonly 'dry-run'?: string | undefined; readonly 'show-secrets': boolean };
  /** How the values are called: `preference`, `argument`. */
  readonly noun: string;
}

/** A shorter text would hide ordinary words. */
const SHORTEST = 6;
const SIGNS = { added: '+', changed: '~', removed: '-', unchanged: ' ', planned: ' ' } as const;

function lineOf({ key, before, after, state }: ShownChange): string {
  const [was, is] = [valueText(before), valueText(after)];
  const values = state === 'changed' ? `${was ?? ''} -> ${is ?? ''}` : (is ?? was ?? '');
  return visible(`  ${SIGNS[state]} ${key}  ${values}`);
}

function tellTarget({ session, target, place }: ChangeOptions): void {
  const where = placeWords(place);
  const line = 'application' in place ? `namespace ${place.namespace}  ${where}` : where;
  session.terminal.tell(targetLine({ ...target, where: line }));
}

async function consent(run: ChangeOptions, changes: readonly ShownChange[]): Promise<void> {
  const { context, target, place, session, noun } = run;
  const { terminal } = session;
  const where = placeWords(place);
  const count = changes.length;
  for (const change of changes) terminal.tell(lineOf(change));
  const removes = changes.every(({ state }) => state === 'removed');
  const deed = `${removes ? 'remove' : 'change'} ${counted(count, noun)} of ${where}`;
  const namespaces = 'application' in place && { namespaces: new Map([[place.namespace, count]]) };
  await context.consent.ask({ deed, target, ...namespaces });
}

/** What the platform says about a value, in an error or a trace, does not show it either. */
function hideSecrets(
  values: Iterable<readonly [string, string]>,
  { secrets }: Pick<Session['terminal'], 'secrets'>,
): void {
  for (const [key, value] of values) if (value.length >= SHORTEST && isSecret(key, value)) secrets.add(value);
}

/**
 * Changes values after a look and a yes. What the change is follows from what is there.
 * @throws CHANGED_MEANWHILE where someone else changes the same keys
 */
export async function changeValues(
  changeOf: (now: Values) => PreferenceChange,
  run: ChangeOptions,
): Promise<{ readonly items: readonly ShownChange[]; readonly members: { readonly level: Level } }> {
  const { context, target, place, session, flags } = run;
  const { 'show-secrets': showSecrets } = flags;
  const members = { level: place.level };
  const { terminal, clock, signal: stop } = session;
  const { platform } = target;
  const now = await readPreferences(place, { platform, signal: stop });
  const change = changeOf(now);
  if (!showSecrets) hideSecrets([...now, ...change.set], terminal);
  const planned = shownChanges(change, { before: now, after: mergedValues(now, change) }, showSecrets);
  const real = planned.filter(({ state }) => state !== 'unchanged');
  if (real.length === 0) return { items: planned, members };
  tellTarget(run);
  if (flags['dry-run'] !== undefined) {
    terminal.tell(DRY_RUN);
    const items = planned.map((one) => (real.includes(one) ? { ...one, state: 'planned' as const } : one));
    return { items, members };
  }
  await consent(run, real);
  // The first Ctrl-C lets the write and its look end (docs/faults.md L26).
  const { signal } = new AbortController();
  const deps = {
    ...{ platform, signal, stop, clock, emit: context.emit, warnAs: 'CONFLICT' },
    wait: (milliseconds: number) => clock.sleep(milliseconds, signal),
  };
  const write = beginWrite(session, commandLine(session.argv));
  const outcome = await changePreferences(place, change, deps, now).finally(write.end);
  if (outcome.others.length > 0)
    terminal.tell(`someone else changed at the same time, and it was kept: ${outcome.others.map(visible).join(', ')}`);
  return { items: shownChanges(change, outcome, showSecrets), members };
}
