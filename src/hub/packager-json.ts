/** What the packager writes as an escape although JSON does not need it. */
const ESCAPED = /[<>&='\u2028\u2029]/gu;
/** Half of a character, which no encoding has. */
const LONE = /\p{Surrogate}/gu;

const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(LONE, '?') : value;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** An element of a catalog as the packager writes it, with its indentation. See docs/hub-format.md 5.4. */
export function packagerElement(value: unknown): string {
  const list = JSON.stringify([value], undefined, 2);
  // Looking at each text takes several times as long as writing them.
  const whole = list.includes('\\ud') ? JSON.stringify([value], wellFormed, 2) : list;
  // The characters can stand in texts only.
  return whole.slice(2, -2).replace(ESCAPED, escape);
}

/** The pieces of a list of elements that `packagerElement` wrote. */
export function* packagerList<T>(elements: Iterable<T>): Generator<T | string, void, void> {
  let isFirst = true;
  for (const element of elements) {
    yield isFirst ? '[\n' : ',\n';
    yield element;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}
