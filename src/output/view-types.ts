import type * as z from 'zod/mini';
import type { Format } from './format.js';
import type { Look, Style } from './look.js';

/**
 * The content of a cell. Lists and objects become comma-separated words in a table and JSON text in csv, a Date follows
 * `--utc`.
 */
export type Cell = string | number | boolean | Date | null | undefined | readonly unknown[] | Readonly<object>;

/** One column of a table. `key` is its name for `--fields` and the member of the JSON item where there is one. */
export interface Column<T> {
  readonly key: string;
  /** Upper-cased key unless given. */
  readonly header?: string;
  readonly value: (item: T) => Cell;
  /** What csv has in place of a value that is written for people. */
  readonly data?: (item: T) => Cell;
  /** Only in `wide`, csv, and when named by `--fields`. */
  readonly wide?: boolean;
  readonly align?: 'right';
  /** Of a Date only the day: by the clock of the reader, in csv that of UTC. */
  readonly day?: boolean;
  /** How the cell stands out where there is colour; words for a state have theirs in `states.ts`. */
  readonly style?: (item: T) => Style | undefined;
  /** Never cut, as names and fingerprints must not be; the first column is so, too. */
  readonly whole?: boolean;
  /**
   * The order in which columns are dropped from a narrow table, highest number first. They go before any cell is
   * truncated.
   */
  readonly spare?: number;
  /** Shown also where it is the same in all rows: it is what was asked for. */
  readonly telling?: boolean;
  /** Part of the name of a row: dropped after all others, unless it is the same in all rows. */
  readonly naming?: boolean;
  /** Sentences: on a terminal the last column, broken at words in its cell or below its row, never cut. */
  readonly prose?: boolean;
}

/** The type that a schema describes, read-only. Members that a loose schema lets through are left out. */
export type Described<S extends z.ZodMiniType> = DeepReadonly<z.input<S>>;

type DeepReadonly<V> = unknown extends V
  ? unknown
  : V extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : V extends object
      ? FixedObject<V>
      : V;

type FixedObject<V> = [NamedKeys<V>] extends [never]
  ? { readonly [K in keyof V]: DeepReadonly<V[K]> }
  : { readonly [K in keyof V as string extends K ? never : K]: DeepReadonly<V[K]> };

type NamedKeys<V> = keyof { [K in keyof V as string extends K ? never : K]: V[K] };

/** What both kinds of view share: JSON kind, schema, JSON form of an item and name for `-o name`. */
interface Parts<T> {
  readonly kind: string;
  readonly schema: z.ZodMiniObject;
  readonly name: (item: T) => string;
  /** The item as it stands in JSON; the item itself unless given. */
  readonly json?: (item: T) => unknown;
  /** Columns of table and csv; for one object without `text` they are the lines. */
  readonly columns: readonly Column<T>[];
  /** What people read in place of an empty table. */
  readonly none?: string;
}

/** Names of members that a schema does not have. Those that a platform may add to its objects do not count. */
type Surplus<T, D> = unknown extends D
  ? never
  : T extends readonly (infer E)[]
    ? D extends readonly (infer F)[]
      ? Surplus<E, F>
      : never
    : T extends object
      ? D extends object
        ? { [K in NamedKeys<T>]-?: K extends keyof D ? Surplus<T[K], D[K]> : K }[NamedKeys<T>]
        : never
      : never;

type Plain = string | number | boolean | null | undefined;

type ElementOf<T> = T extends readonly (infer E)[] ? E : never;

/** The type of a member, of those of a union that have it. */
type MemberOf<T, K extends PropertyKey> = T extends Plain ? never : K extends keyof T ? T[K] : never;

type NameOf<T> = T extends Plain ? never : keyof T;

/** Members and words of a schema that its type never has. `D` is compared one by one, `T` as a whole. */
type Unused<D, T> = unknown extends D
  ? never
  : unknown extends T
    ? never
    : D extends Plain
      ? UnusedWord<D, T>
      : D extends readonly (infer F)[]
        ? Unused<F, ElementOf<T>>
        : { [K in NamedKeys<D>]-?: K extends NameOf<T> ? Unused<D[K], MemberOf<T, K>> : K }[NamedKeys<D>];

/** A text or number that is not fixed may stand for a narrower type. */
type UnusedWord<D extends Plain, T> = D extends string ? (string extends D ? never : Exclude<D, T>) : never;

/** The schema of an item, and `json`, without which the item must be just what the schema describes. */
export type Schema<S extends z.ZodMiniObject, T> = { readonly schema: S } & ([
  T,
  Surplus<T, Described<S>>,
  Unused<Described<S>, T>,
] extends [Described<S>, never, never]
  ? { readonly json?: (item: T) => Described<S> }
  : { readonly json: (item: T) => Described<S> });

/** How a list is shown in every format. */
export type ListParts<T> = Parts<T>;

/** How one object is shown in every format. */
export interface ItemParts<T> extends Parts<T> {
  /** The lines for people; text from outside must be passed through `visible`. A table among them tells what it hides. */
  readonly text?: (item: T, look: Look, onLeftOut?: OnLeftOut) => Iterable<string> | AsyncIterable<string>;
  /** Whether the lines are for other programs, too: never broken. */
  readonly verbatim?: boolean;
}

/** Where a page of a longer list lies. */
export interface Page {
  readonly offset: number;
  readonly returned: number;
  readonly total: number;
  readonly next: number | string | null;
}

/** What a service found, ready to be shown as a list. */
export interface ListResult<T> {
  readonly items: Iterable<T> | AsyncIterable<T>;
  readonly page?: Page | undefined;
  /** Further members beside `items` in JSON (`hidden`, say). */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
}

/** A warning as it stands in `warnings`. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

/** Takes the number of columns that a terminal has no room for. */
export type OnLeftOut = (columns: number) => unknown;

/** How to write, besides what. */
export interface RenderOptions {
  readonly format: Format;
  readonly look: Look;
  readonly fields?: readonly string[] | undefined;
  readonly header?: boolean;
  /** No guard against formulas in csv cells. */
  readonly csvRaw?: boolean;
  /** Told once how many columns of a table the terminal has no room for. */
  readonly onLeftOut?: OnLeftOut | undefined;
  /** Told in place of a table without rows what there is none of. */
  readonly onEmpty?: (none: string) => unknown;
  /** Asked at the end, when all warnings are known. */
  readonly warnings?: () => readonly Warning[];
}

/** A kind of result and how it is written; `R` is what a service returns for it. */
export interface View<R> {
  readonly kind: string;
  readonly shape: 'list' | 'item';
  readonly schema: z.ZodMiniObject;
  /** What `--fields` takes: the keys of its columns. */
  readonly fields: readonly string[];
  /** The text in the wanted format, in pieces; JSON of a list that fails half-way yields nothing. */
  readonly render: (result: R, options: RenderOptions) => AsyncIterable<string>;
}
