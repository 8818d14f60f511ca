function sameMembers(left: object, right: object): boolean {
  const members = (value: object): Map<string, unknown> =>
    new Map(Object.entries(value).filter(([, member]) => member !== null && member !== undefined));
  const [a, b] = [members(left), members(right)];
  return a.size === b.size && [...a].every(([name, value]) => b.has(name) && same(value, b.get(name)));
}

function same(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => same(item, right[index]));
  if (Array.isArray(left) || Array.isArray(right)) return false;
  if (typeof left === 'object' && typeof right === 'object' && left !== null && right !== null)
    return sameMembers(left, right);
  return Object.is(left, right);
}

/**
 * Whether two JSON texts mean the same to the platform; texts that are not JSON must be equal. The platform writes
 * numbers as doubles and drops members that are null (docs/platform.md 5.5).
 */
export function sameJson(left: string, right: string): boolean {
  if (left === right) return true;
  try {
    return same(JSON.parse(left), JSON.parse(right));
  } catch {
    return false;
  }
}
