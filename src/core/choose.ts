/** Picks one of several things that a name fits, or refuses with the problem. */
export type Choose<T> = (several: readonly T[], problem: string) => Promise<T>;
