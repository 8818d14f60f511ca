/** Counts steps, so that tests can hold how they grow. */
export interface Work {
  steps: number;
}

/** Where something was found: from its first character to behind its last one. */
export interface Found {
  readonly start: number;
  readonly end: number;
  /** How many characters of it are missing behind the end, where the text has only the beginning of it. */
  readonly missing: number;
}

/** The beginning of a long text is one that somebody cut from this length on. */
const LEAST_BEGINNING = 40;

/**
 * A function that finds all places of a text in others, and those of its first 40 characters or more. Its steps grow
 * with the length of both, whatever they are.
 */
export function finderOf(sought: string): (text: string, work: Work) => readonly Found[] {
  const head = sought.slice(0, LEAST_BEGINNING);
  let borders: Uint32Array | undefined;
  return (text, work) => {
    const found: Found[] = [];
    let from = text.indexOf(head);
    work.steps += text.length;
    while (from !== -1) {
      // Made only for texts that begin to look like it: a secret has more spellings than anybody uses.
      borders ??= bordersOf(sought, work);
      from = text.indexOf(head, scan(sought, borders, { text, from, found, work }));
    }
    return found;
  };
}

interface Scan {
  readonly text: string;
  readonly from: number;
  readonly found: Found[];
  readonly work: Work;
}

/**
 * Knuth, Morris and Pratt: never looks back in the text. Ends where nothing of what is sought is at hand, and says
 * where.
 */
function scan(sought: string, borders: Uint32Array, { text, from, found, work }: Scan): number {
  let length = 0;
  const cut = (end: number): void => {
    if (length >= LEAST_BEGINNING) found.push({ start: end - length, end, missing: sought.length - length });
  };
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (length > 0 && unit !== sought.charCodeAt(length)) {
      work.steps += 1;
      cut(at);
      length = borders[length - 1] ?? 0;
    }
    work.steps += 1;
    if (unit === sought.charCodeAt(length)) length += 1;
    if (length === 0) return at + 1;
    if (length < sought.length) continue;
    found.push({ start: at + 1 - length, end: at + 1, missing: 0 });
    length = borders[length - 1] ?? 0;
  }
  cut(text.length);
  return text.length;
}

/** For each beginning of a text, the length of the longest shorter one that it ends with. */
function bordersOf(text: string, work: Work): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let at = 1, length = 0; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) {
      work.steps += 1;
      length = borders[length - 1] ?? 0;
    }
    work.steps += 1;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
