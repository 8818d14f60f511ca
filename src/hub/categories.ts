/** An element of `categories.json`. */
export interface Category {
  readonly name: string;
  readonly hasIcon: boolean;
}

/**
 * The categories of a hub as the packager lists them (docs/hub-format.md 5.4). The order is that of UTF-16 units, or of
 * a whitelist. `icons` are the categories with an icon.
 */
export function categoryList(
  found: ReadonlySet<string>,
  icons: ReadonlySet<string>,
  whitelist: readonly string[],
): readonly Category[] {
  const names = whitelist.length === 0 ? [...found].sort() : [...new Set(whitelist)].filter((name) => found.has(name));
  return names.map((name) => ({ name, hasIcon: icons.has(name) }));
}
