import type { TextEdit } from '../../../core/json/text.js';

/** Where something is wrong; lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a rule found; the position is that of the whole file unless it is given. */
export interface Found {
  /** Below the root of the tree, with slashes. */
  readonly file: string;
  readonly at?: Position | undefined;
  readonly message: string;
  /** The line of what stands before it in the file, said behind the message. */
  readonly before?: number | undefined;
  /** What corrects it in the specification, where that is certain. */
  readonly fix?: TextEdit | undefined;
}

/** The way from the root of a JSON document to a value of it. */
export type Path = readonly (string | number)[];
