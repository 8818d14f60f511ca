import { refuse } from '../http/answers.js';
import { isObject, parseJson } from '../http/json.js';

/** Reads runtime arguments: a JSON object of texts; numbers become texts. */
export function runtimeArguments(body: string): Record<string, string> {
  if (body === '') return {};
  const value = parseJson(body);
  if (value === undefined) refuse(500, `End of input at line 1 column ${body.length + 1}`);
  if (!isObject(value)) refuse(500, 'Expected BEGIN_ARRAY but was STRING at line 1 column 3 path $[0]');
  return argumentTexts(value);
}

/** The members of an object as texts. */
export function argumentTexts(value: unknown): Record<string, string> {
  const members = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (typeof member === 'string') return [name, member];
      if (typeof member === 'number' || typeof member === 'boolean') return [name, String(member)];
      return refuse(500, 'Expected a string but was BEGIN_OBJECT at line 1 column 7 path $.');
    }),
  );
}
