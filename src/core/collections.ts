import * as z from 'zod/mini';
import { describeIssue } from './issues.js';

/**
 * A list of what a schema takes. `z.array` goes on after a wrong element, and keeps an issue for each of millions. What
 * `isRight` knows for right is taken as it is, without asking the schema, in a tenth of the time.
 */
export function listOf<T>(element: z.core.$ZodType<T>, isRight?: (value: unknown) => value is T) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((values: unknown[], { issues }) => {
      const read: T[] = [];
      for (const [index, value] of values.entries()) {
        if (isRight?.(value) === true) {
          read.push(value);
          continue;
        }
        const result = z.safeParse(element, value);
        if (!result.success) {
          issues.push(...issuesAt(index, result.error, value));
          return z.NEVER;
        }
        read.push(result.data);
      }
      return read;
    }),
  );
}

/** An object with any names, whose values a schema takes. Stops at the first wrong one as `listOf` does. */
export function recordOf<T>(member: z.core.$ZodType<T>) {
  return z.pipe(
    z.custom<Readonly<Record<string, unknown>>>(isRecord, { error: 'must be an object' }),
    z.transform((values: Readonly<Record<string, unknown>>, { issues }) => {
      const read: [string, T][] = [];
      for (const name in values) {
        const value = values[name];
        const result = z.safeParse(member, value);
        if (!result.success) {
          issues.push(...issuesAt(name, result.error, value));
          return z.NEVER;
        }
        read.push([name, result.data]);
      }
      return Object.fromEntries(read);
    }),
  );
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function issuesAt(key: PropertyKey, error: z.core.$ZodError, input: unknown): z.core.$ZodRawIssue[] {
  return error.issues.map((issue) => ({
    code: 'custom',
    message: describeIssue(issue),
    path: [key, ...issue.path],
    input,
  }));
}

/** The largest of any number of values. Spreading a hundred thousand into `Math.max` would overflow the stack. */
export function largestOf(numbers: Iterable<number>): number {
  let largest = -Infinity;
  for (const number of numbers) largest = Math.max(largest, number);
  return largest;
}

/** The smallest of numbers, however many. */
export function smallestOf(numbers: Iterable<number>): number {
  let smallest = Infinity;
  for (const number of numbers) smallest = Math.min(smallest, number);
  return smallest;
}

/** The parts of a list with commas, without the blanks around them. */
export const partsOf = (text: string): readonly string[] => text.split(',').map((part) => part.trim());
