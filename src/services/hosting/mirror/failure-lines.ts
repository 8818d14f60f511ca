import type { MirrorFailure } from './mirror-plan.js';

const MOST_LINES = 20;
/** So many versions that fail for one reason are named. */
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
  const names = group.slice(0, MOST_NAMES).map(({ package: name, version }) => `${name}@${version}`);
  const more = group.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${message}`;
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
