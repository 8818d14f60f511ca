/** The files served at the top of a hub, where keys may lie as well. */
const AT_TOP = /^(?:packages|categories|index|metadata)\.json(?:\.asc)?$/u;
/** The page at the address of a hub, where there is one. */
export const START_PAGE = 'index.html';
const UNSAFE = /[/\\\p{Cc}]/u;

/**
 * The names below the folder of a hub that a request target asks for, with or without `/v2`.
 * @returns 400 when the target cannot be read, 404 when it names nothing that a hub serves
 */
export function requestPath(target: string): readonly string[] | 400 | 404 {
  if (!target.startsWith('/')) return 400;
  const [path = ''] = target.split('?', 1);
  const parts = path.slice(1).split('/');
  let names: readonly string[];
  try {
    names = parts.map((part) => decodeURIComponent(part));
  } catch {
    return 400;
  }
  const below = names[0] === 'v2' ? names.slice(1) : names;
  if (below.length === 1 && (below[0] === '' || below[0] === START_PAGE)) return [START_PAGE];
  // A name that begins with a dot is hidden, or leads upwards.
  if (below.some((name) => name === '' || name.startsWith('.') || UNSAFE.test(name))) return 404;
  const [first = ''] = below;
  const isServed = below.length === 1 ? AT_TOP.test(first) : first === 'packages' || first === 'categories';
  return isServed ? below : 404;
}
