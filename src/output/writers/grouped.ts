const AT_ONCE = 200;

/** Groups items by a few hundred: a promise for each of 100,000 would cost more than the work on it. */
export function grouped<T>(
  items: Iterable<T> | AsyncIterable<T>,
): Iterable<readonly T[]> | AsyncIterable<readonly T[]> {
  return Symbol.iterator in items ? groupsOf(items) : groupsAsTheyCome(items);
}

function* groupsOf<T>(items: Iterable<T>): Generator<readonly T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function* groupsAsTheyCome<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
