import type { PackageVersion } from '../../../hub/source.js';
import type { FailedFile } from './mirror-plan.js';
import type { FailedVersion } from './stage-version.js';

const MOST_LINES = 20;
/** So many versions of which one thing is said are named. */
const MOST_NAMES = 3;

/** The first of many lines, and how many others there are. */
export const firstLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];

/** Which file failed, and why: of an error that has none, the specification. */
export function failedFile({ wanted: { name, version }, error }: FailedVersion): FailedFile {
  const { code, message, details } = error;
  const file = details.target?.['file'];
  return {
    failure: { package: name, version, file: file ?? 'spec.json', code, message },
    isNamed: file !== undefined && details.isFileUnnamed !== true,
  };
}

/** A line of each failure; what is said of several versions, and of no file, is one line. */
export function failureLines(failed: readonly FailedFile[]): readonly string[] {
  const groups = new Map<string, FailedFile[]>();
  for (const one of failed) {
    const key = one.isNamed ? lineOf(one) : one.failure.message;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups].flatMap(([message, group]) =>
    group.length === 1 ? group.map(lineOf) : lineOfAll(message, group),
  );
}

function lineOfAll(message: string, group: readonly FailedFile[]): string {
  return `${someNames(group.map(({ failure: { package: name, version } }) => ({ name, version })))}: ${message}`;
}

/** The first of some versions, and how many others there are. */
export function someNames(versions: readonly PackageVersion[], most = MOST_NAMES): string {
  const names = versions.slice(0, most).map(({ name, version }) => `${name}@${version}`);
  const more = versions.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Where it is, and what it is; the message may name its file itself, or have an address of it. */
function lineOf({ failure: { package: name, version, file, message }, isNamed }: FailedFile): string {
  const place = `${name}/${version}`;
  if (message.includes(`${place}/${file}`)) return message;
  if (!isNamed) return `${place}/${file}: ${message}`;
  if (message.startsWith(`${file} `)) return `${place}/${message}`;
  return message.includes(place) || message.includes(`${name} ${version}`) ? message : `${place}: ${message}`;
}
