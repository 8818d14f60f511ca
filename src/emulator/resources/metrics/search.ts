import type { Store } from '../../store/store.js';
import { sourcesWith } from './sources.js';
import type { Source, Tags } from './values.js';

/** Of each program so many runs are looked at: the names that they use are the same in all. */
const SAMPLE = 300;
/** Which tags come next after the last of those given; after others none do. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  '': ['namespace', 'profilescope'],
  namespace: ['app', 'profilescope'],
  app: ['mapreduce', 'profilescope', 'service', 'spark', 'workflow'],
  mapreduce: ['run'],
  spark: ['run'],
  workflow: ['run'],
  run: ['nd'],
};

/** The names of the metrics that were counted under the tags (docs/platform.md 3.1). */
export function metricNames(store: Store, tags: Tags): string[] {
  const names = [...sample(store, tags, [])].flatMap(({ counted }) => [...counted.keys()]);
  return [...new Set(names)].sort();
}

/** The tags that come next, with their values. */
export function nextTags(store: Store, tags: Tags): { readonly name: string; readonly value: string }[] {
  const last = [...tags.keys()].at(-1) ?? '';
  // What stands higher comes first, also when it was left out.
  const names = NEXT[last === 'app' && !tags.has('namespace') ? '' : last] ?? [];
  const found = new Set<string>();
  for (const source of sample(store, tags, names.includes('run') ? ['run'] : [])) {
    for (const name of names) {
      const value = source.tags.get(name);
      if (value !== undefined) found.add(`${name}:${value}`);
    }
  }
  return [...found].sort().map((tag) => {
    const colon = tag.indexOf(':');
    return { name: tag.slice(0, colon), value: tag.slice(colon + 1) };
  });
}

function* sample(store: Store, tags: Tags, names: readonly string[]): Generator<Source> {
  for (const source of sourcesWith(store, tags, names, { from: 0, to: Infinity, runs: SAMPLE })) {
    if (source.counted.size > 0) yield source;
  }
}
