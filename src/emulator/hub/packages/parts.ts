/** The members of a specification that differ between our packages; others than these are written too. */
export interface SpecText {
  readonly label: string;
  readonly description: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly categories: readonly string[];
  readonly actions: readonly object[];
  readonly [member: string]: unknown;
}

/** Range of platform versions that most of our packages name. */
export const SIX = '[6.1.0,7.0.0)';

/** A specification with the members that all of ours share. */
export function specification({ label, description, ...rest }: SpecText): Record<string, unknown> {
  return { specVersion: '1.0', label, description, author: 'Example Author', org: 'Example Organisation', ...rest };
}

/** A JSON file as a resource. */
export function jsonResource(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`, 'utf8');
}

/** A text file as a resource, one element a line. */
export function textResource(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
}

/** Arguments of an action as hubs write them, none of which the user may change. */
export function fixed(values: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(values).map(([name, value]) => ({ name, value, canModify: false }));
}

/** An argument that the user may change. */
export function open(name: string, value: unknown): object {
  return { name, value, canModify: true };
}

/** An action that shows steps. */
export function informational(label: string, ...steps: readonly string[]): object {
  return { type: 'informational', label, arguments: [{ name: 'steps', value: steps }] };
}
