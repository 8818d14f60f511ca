/** Whether a name fits a pattern with `*` (any text) and `?` (one character). Linear in practice, case counts. */
export function matchesGlob(pattern: string, name: string): boolean {
  let [at, inName, star, retry] = [0, 0, -1, 0];
  while (inName < name.length) {
    if (pattern[at] === '*') {
      [star, retry] = [at, inName];
      at += 1;
    } else if (pattern[at] === '?' || pattern[at] === name[inName]) {
      at += 1;
      inName += 1;
    } else if (star !== -1) {
      retry += 1;
      [at, inName] = [star + 1, retry];
    } else {
      return false;
    }
  }
  return pattern.slice(at).replaceAll('*', '') === '';
}
