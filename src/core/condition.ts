import { CliError } from './errors.js';

const SHAPE = /^\s*([^\s<>=!](?:[^<>=!]*[^\s<>=!])?)\s*(>=|<=|==|!=|>|<|=)\s*(-?\d+(?:\.\d+)?)\s*$/u;

/** What a number must be like for a gate to fail, as `--fail-if` says it: `failed>0`. */
export interface Condition {
  /** The text as it was given. */
  readonly text: string;
  /** What is looked at: a count of the dashboard, the name of a metric. */
  readonly name: string;
  /** Whether the number fulfils the condition. */
  readonly holds: (value: number) => boolean;
}

const OPERATORS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '=': (value, limit) => value === limit,
  '==': (value, limit) => value === limit,
  '!=': (value, limit) => value !== limit,
};

/**
 * Reads a condition `NAME OPERATOR NUMBER`.
 * @throws USAGE with an example for anything else
 */
export function parseCondition(text: string, example: string): Condition {
  const [, name, operator = '', limit] = SHAPE.exec(text.slice(0, 500)) ?? [];
  const compare = OPERATORS[operator];
  if (name === undefined || compare === undefined) {
    throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 60))} is not a condition`, {
      hints: [{ next: 'write-condition', example }],
    });
  }
  return { text, name, holds: (value) => compare(value, Number(limit)) };
}
