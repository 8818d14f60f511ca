/** Lets work go on when `count` are at it; `most` is how many ever were at once. */
export function together(count: number): { readonly join: () => Promise<void>; readonly most: () => number } {
  const waiting: (() => void)[] = [];
  let most = 0;
  return {
    join: () =>
      new Promise((resolve) => {
        most = Math.max(most, waiting.push(resolve));
        if (waiting.length === count) for (const next of waiting.splice(0)) next();
      }),
    most: () => most,
  };
}
