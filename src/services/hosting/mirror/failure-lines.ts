import type { PackageVersion } from '../../../hub/source.js';
import type { MirrorFailure } from './mirror-plan.js';

const MOST_LINES = 20;
/** So many versions of which one thing is said are named. */
const MOST_NAMES = 3;

/** The first of many lines, and how many others there are. */
export const firstLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];

/** A line of each failure; what is said of several versions, and of no file, is one line. */
export function failureLines(failures: readonly MirrorFailure[]): readonly string[] {
  const groups = new Map<string, MirrorFailure[]>();
  for (const failure of failures) {
    const key = namesFile(failure) ? lineOf(failure) : failure.message;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [failure]);
    else group.push(failure);
  }
  return [...groups].flatMap(([message, group]) =>
    group.length === 1 ? group.map(lineOf) : lineOfAll(message, group),
  );
}

function lineOfAll(message: string, group: readonly MirrorFailure[]): string {
  return `${someNames(group.map(({ package: name, version }) => ({ name, version })))}: ${message}`;
}

/** The first of some versions, and how many others there are. */
export function someNames(versions: readonly PackageVersion[], most = MOST_NAMES): string {
  const names = versions.slice(0, most).map(({ name, version }) => `${name}@${version}`);
  const more = versions.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const namesFile = ({ file, message }: MirrorFailure): boolean =>
  message.split(/[\s:"]/u).some((word) => word === file || word.endsWith(`/${file}`));

/** Where it is, and what it is; the message may name its file itself. */
function lineOf(failure: MirrorFailure): string {
  const { package: name, version, file, message } = failure;
  const place = `${name}/${version}`;
  if (!namesFile(failure)) return `${place}/${file}: ${message}`;
  if (message.startsWith(`${file} `)) return `${place}/${message}`;
  return message.includes(place) || message.includes(`${name} ${version}`) ? message : `${place}: ${message}`;
}
