/** A thousand of them say no more. */
const MOST_TOLD = 50;

/** What is read of one issue of zod; every issue of zod or zod/mini fits. */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message?: string | undefined;
  readonly expected?: unknown;
  readonly keys?: readonly string[] | undefined;
  readonly values?: readonly unknown[] | undefined;
  readonly format?: unknown;
  readonly minimum?: number | bigint | undefined;
  readonly maximum?: number | bigint | undefined;
}

/** Words for the issues of a schema: `actions[2].type must be a string`. Never quotes the document's values. */
export function describeIssues(error: { readonly issues: readonly SchemaIssue[] }): readonly string[] {
  return error.issues.slice(0, MOST_TOLD).map((issue) => `${describePath(issue.path)} ${describeIssue(issue)}`);
}

/** Words for what one issue says of its place. */
export function describeIssue(issue: SchemaIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(String(issue.expected))}`;
    case 'invalid_value':
      return `must be ${(issue.values ?? []).map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'unrecognized_keys':
      return `has unknown members: ${(issue.keys ?? []).map((key) => JSON.stringify(key)).join(', ')}`;
    case 'too_small':
      return `must not be less than ${String(issue.minimum)}`;
    case 'too_big':
      return `must not be more than ${String(issue.maximum)}`;
    case 'invalid_format':
      return `must have the format ${String(issue.format)}`;
    case 'invalid_union':
      return 'has none of the allowed formats';
    default:
      return issue.message === undefined || issue.message === 'Invalid input' ? 'is not allowed' : issue.message;
  }
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number';
  return `${/^[aeio]/u.test(type) ? 'an' : 'a'} ${type}`;
}

function describePath(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((result, key) => {
    if (typeof key === 'number') return `${result}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_$][\w$]*$/u.test(name)) return `${result}[${JSON.stringify(name)}]`;
    return result === '' ? name : `${result}.${name}`;
  }, '');
  return text === '' ? 'the document' : text;
}
