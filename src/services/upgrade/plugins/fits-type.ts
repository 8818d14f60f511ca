/** The bits of whole numbers, by the platform's names of types. */
const BITS: Readonly<Record<string, number>> = { byte: 8, short: 16, int: 32, long: 64 };

function isWhole(text: string, bits: number): boolean {
  const [, digits] = /^([+-]?\d{1,30})(?:\.0+)?$/u.exec(text) ?? [];
  if (digits === undefined) return false;
  const value = BigInt(digits.replace('+', ''));
  return BigInt.asIntN(bits, value) === value;
}

/**
 * Whether the platform reads a text as a value of a property's type without loss, as seen on 6.11.0. `5.0` is a whole
 * number; blanks and exponents are not. Anything fits an unknown type.
 */
export function fitsType(type: string, text: string): boolean {
  const bits = BITS[type];
  if (bits !== undefined) return isWhole(text, bits);
  if (type === 'boolean') return /^(?:true|false|)$/iu.test(text);
  if (type === 'char') return text.length === 1;
  if (type !== 'float' && type !== 'double') return true;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[df]?$/iu.test(text) || /^[+-]?(?:NaN|Infinity)$/u.test(text);
}
