import { largestOf } from '../../core/collections.js';

/** What is read or written has a slash; shorter texts are in many sentences. */
const PLACE = /^(?=.*\/).{6,2000}$/su;
const MACRO = /\$\{([^{}]+)\}/gu;

/** Paths and addresses are told with one slash or several. */
const plain = (text: string): string => text.replace(/:\/{2,}/gu, ':/').replace(/\/+$/u, '');

/**
 * The stage whose path or address a cause names: that of the longest one. Macros in it are replaced by the arguments
 * of the run. Undefined where it is of several stages.
 */
export function stageOfPlace(
  cause: string,
  properties: ReadonlyMap<string, Readonly<Record<string, string>>>,
  given: Readonly<Record<string, string>>,
): string | undefined {
  const told = plain(cause);
  const lengthOf = (value: string): number => {
    const place = plain(value.replace(MACRO, (macro, key: string) => given[key] ?? macro));
    const [, ...rests] = PLACE.test(place) ? told.split(place) : [];
    return rests.some((rest) => !/^[\w-]/u.test(rest)) ? place.length : 0;
  };
  const lengths = [...properties].map(([name, all]) => ({ name, length: largestOf(Object.values(all).map(lengthOf)) }));
  const most = largestOf(lengths.map(({ length }) => length));
  const [found, ...others] = lengths.filter(({ length }) => length === most);
  return most > 0 && others.length === 0 ? found?.name : undefined;
}
