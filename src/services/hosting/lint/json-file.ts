import { CliError } from '../../../core/errors.js';
import { jsonFaultAt } from '../../../core/json/fault.js';
import { parseJsonText, valueAt, type JsonNode, type OnRepeat, type TextPlace } from '../../../core/json/text.js';
import { isRawObject, type RawObject } from '../../../hub/fields.js';
import type { Found, Path, Position } from './finding.js';

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
/** Most repeated members of a file that are told. */
const MOST_REPEATS = 100;
const BROKEN = 'invalid JSON from here: a comma, quote or bracket may be missing';

/** A JSON file with the places of its values. One that is no JSON has a problem and no members. */
export class JsonFile {
  readonly file: string;
  readonly problem: Found | undefined;
  readonly repeats: readonly Found[];
  /** The object that it is; empty when it is something else. */
  readonly json: RawObject;
  readonly #text: string;
  readonly #root: JsonNode | undefined;
  #lines: readonly number[] | undefined;

  constructor(file: string, bytes: Uint8Array, unread?: string) {
    this.file = file;
    this.#text = DECODER.decode(bytes);
    const repeats: Found[] = [];
    const onRepeat: OnRepeat = ({ value, start }, before) => {
      if (repeats.length === MOST_REPEATS) return;
      repeats.push({
        file,
        at: this.#position(start),
        message: `duplicate member ${JSON.stringify(value.slice(0, 60))}`,
        before: this.#position(before.start).line,
      });
    };
    this.repeats = repeats;
    this.json = {};
    if (unread !== undefined) {
      this.problem = { file, message: unread };
      return;
    }
    const wrong = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).equals(Buffer.from(this.#text))
      ? undefined
      : this.#text.indexOf('\ufffd');
    if (wrong !== undefined) {
      this.problem = { file, at: this.#position(Math.max(0, wrong)), message: 'it is not valid UTF-8' };
      return;
    }
    try {
      this.#root = parseJsonText(this.#text, 'it', onRepeat);
      const json = valueAt(this.#text, this.#root);
      if (isRawObject(json)) this.json = json;
      else this.problem = { file, message: 'it is not a JSON object' };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const at = error.code === 'BAD_JSON' ? this.#position(this.#faultAt()) : undefined;
      this.problem = { file, at, message: at === undefined ? error.message : BROKEN };
    }
  }

  /** A file that was not read, and why. */
  static unread(file: string, reason: string): JsonFile {
    return new JsonFile(file, new Uint8Array(), reason);
  }

  /** All of it, if it has no problem. */
  get text(): string {
    return this.#text;
  }

  /** Where a value stands, or the closest one around it. */
  at(path: Path): Position {
    return this.#position(this.place(path)?.start ?? 0);
  }

  /** As `at`, as a part of the text. */
  place(path: Path): TextPlace | undefined {
    let node = this.#root;
    for (const step of path) {
      const next = node?.kind === 'object' ? node.members.get(String(step)) : undefined;
      const inner = node?.kind === 'array' ? node.items[Number(step)] : next;
      if (inner === undefined) break;
      node = inner;
    }
    return node;
  }

  #faultAt(): number {
    const mark = this.#text.startsWith('\ufeff') ? 1 : 0;
    return mark + (jsonFaultAt(this.#text.slice(mark)) ?? 0);
  }

  #position(offset: number): Position {
    this.#lines ??= [0, ...[...this.#text.matchAll(/\n/gu)].map(({ index }) => index + 1)];
    let [low, high] = [0, this.#lines.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.#lines[low] ?? 0) + 1 };
  }
}
