import { join } from 'node:path';
import type { Meant } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { matchesGlob } from '../../core/glob.js';
import { isSafeSegment } from '../../core/names.js';
import type { PackagePlace } from '../../services/catalog/resolve.js';
import { pinnedKeys } from '../../services/keys/pinned-keys.js';
import { choose, type Choice } from '../../cli/terminal/choice.js';
import type { CommandContext } from '../../cli/context-types.js';
import { withArgument, withFlag } from '../../cli/line/rewrite-line.js';
import type { Session } from '../../cli/session.js';

/** A package that was found, and the words that mean it alone. */
export interface FoundPackage extends PackagePlace {
  /** The argument: with the hub, where one had to be chosen. */
  readonly named: string;
  /** The line with that argument. */
  readonly argv: readonly string[];
}

/** What is trusted of a hub for a package, in some words; says nothing of a signature. */
async function standingOf({ hub, name, source }: PackagePlace, stateFolder: string, now: number): Promise<string> {
  try {
    const pinned = await pinnedKeys([{ name: hub, base: source.base, folder: join(stateFolder, 'trust') }], now);
    const keys = pinned.filter(({ packages }) => packages === undefined || matchesGlob(packages, name));
    const good = keys.filter(({ state }) => state === 'good');
    const [first = keys[0]] = good;
    if (first === undefined) return 'no trusted key';
    if (good.length > 1) return `${good.length} trusted keys`;
    return good.length === 1 ? `trusted key ${first.keyId}` : `trusted key ${first.keyId} is ${first.state}`;
  } catch (error) {
    if (error instanceof CliError) return 'trust unknown';
    throw error;
  }
}

/** Lets one of several hubs be chosen that have a package. The choice trusts nothing and installs nothing. */
export async function choosePackage(
  { all, problem }: Meant<PackagePlace>,
  text: string,
  { asker, stateFolder }: Pick<CommandContext, 'asker' | 'stateFolder'>,
  session: Pick<Session, 'argv' | 'build' | 'clock'>,
): Promise<FoundPackage> {
  const choices: Choice<FoundPackage>[] = [];
  for (const place of all) {
    const { hub, version, compatibility } = place;
    const standing = await standingOf(place, stateFolder, session.clock.now());
    const isName = isSafeSegment(hub) && !hub.startsWith('.') && !hub.startsWith('~');
    const named = isName ? `${hub}/${text}` : text;
    const argv = isName ? withArgument(session, text, named) : withFlag(session.argv, 'hub', hub);
    choices.push({
      value: { ...place, named, argv },
      columns: [hub, version, compatibility.compatible ? standing : `${standing}, not compatible`],
      argv,
    });
  }
  return (await choose(problem, choices, asker)).value;
}
