import { shapeOf } from '../../../hub/action-types.js';
import { brief, isRawObject, type RawObject } from '../../../hub/fields.js';

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** What is wrong with the files that the actions of a specification use; `files` are those beside it. */
export function nameClashes(specification: RawObject, files: readonly string[]): readonly string[] {
  return [...actionFiles(specification)].flatMap(({ name, n }) => {
    const clash = nameClash(name, files);
    return clash === undefined ? [] : [`action ${n} uses ${brief(name)}, which ${clash}`];
  });
}

function* actionFiles({ actions }: RawObject): Generator<{ readonly name: string; readonly n: number }> {
  for (const [at, action] of listOf(actions).entries()) {
    if (!isRawObject(action) || typeof action['type'] !== 'string') continue;
    const shape = shapeOf(action['type']);
    for (const argument of listOf(action['arguments'])) {
      if (!isRawObject(argument)) continue;
      const known = shape?.arguments.find(({ name }) => name === argument['name']);
      if (known === undefined || known.resource === 'none') continue;
      for (const name of listOf(argument['value'])) if (typeof name === 'string') yield { name, n: at + 1 };
    }
  }
}

/** Why no action can use a file of its package, if so (docs/faults.md V10). `files` are those beside it. */
export function nameClash(name: string, files: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  if (lower === 'spec.json') return 'is the specification itself';
  if (lower === 'icon.png' || lower === 'license.txt') return 'is never signed';
  const signed = /^(.+)\.asc$/iu.exec(name)?.[1];
  return signed !== undefined && files.includes(signed) ? `is the signature of ${signed}` : undefined;
}
