import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import { decodeUtf8, parseJson } from '../core/json/json.js';
import { isObjectText, memberTexts, withMember, withoutMember } from '../core/json/members.js';
import { readBytes } from '../http/answers.js';
import { path } from '../http/path.js';
import type { HttpAnswer } from '../http/transport.js';
import { endpoint, text } from './endpoint.js';

const DRAFTS = 'hydratorDrafts';
const Store = z.looseObject({ id: z.string() });

/** Nothing may be written over a store that was not understood. */
async function settingsOf(answer: HttpAnswer): Promise<string> {
  const { method, url, status, attempts } = answer;
  const broken = (message: string, cause?: unknown): CliError =>
    new CliError('BAD_ANSWER', message, { cause, request: { method, url, status, attempts } });
  const bytes = await readBytes(answer);
  let value: unknown;
  try {
    value = parseJson(bytes, 'the user store');
  } catch (cause) {
    throw broken(cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (!z.safeParse(Store, value).success) throw broken('the user store is not valid: it has no ID');
  // A store that was emptied in the wrong way holds null, which a platform 4.3.5 leaves out (docs/platform.md 6.1).
  const settings = memberTexts(decodeUtf8(bytes, 'the user store')).get('property') ?? 'null';
  return settings === 'null' ? '{}' : settings;
}

/** Gets the settings of the calling user as text; `{}` if there are none. On older platforms they include drafts. */
export const getUserSettings = endpoint({
  method: 'GET',
  path: () => path`/v3/configuration/user`,
  answer: settingsOf,
});

/**
 * Replaces all settings of the calling user. The platform compares no versions, so read and merge before, and read
 * again after (docs/platform.md 6.1). Never sent twice blindly.
 */
export const putUserSettings = endpoint({
  method: 'PUT',
  path: () => path`/v3/configuration/user`,
  body: ({ settings }: { readonly settings: string }) => ({
    kind: 'text',
    text: settings,
    contentType: 'application/json',
  }),
  answer: text,
});

function objectIn(json: string | undefined, what: string): string {
  if (json === undefined || json === 'null') return '{}';
  if (isObjectText(json)) return json;
  throw new CliError('CONFLICT', `${what} of the user store are not an object; nothing can be added`, {
    hints: ['check GET /v3/configuration/user; it was overwritten'],
  });
}

/**
 * The texts of the drafts of a namespace by their ids.
 * @throws CONFLICT where something else stands in their place
 */
export function draftTexts(settings: string, namespace: string): ReadonlyMap<string, string> {
  const all = objectIn(memberTexts(objectIn(settings, 'the settings')).get(DRAFTS), 'the drafts');
  return memberTexts(objectIn(memberTexts(all).get(namespace), `the drafts of namespace ${namespace}`));
}

/** The settings with one draft added or replaced; all else stays as it is, to the character. */
export const withDraft = (settings: string, namespace: string, id: string, draft: string): string =>
  withMember(settings, [DRAFTS, namespace, id], draft);

/** The settings without one draft; all values stay as they are written. */
export const withoutDraft = (settings: string, namespace: string, id: string): string =>
  withoutMember(settings, [DRAFTS, namespace, id]);

/** Something of the settings: a setting, the drafts of a namespace, or a draft. */
export interface SettingsPart {
  readonly path: readonly string[];
  readonly text: string;
}

/** Settings are looked into where drafts are: by namespace, and in a namespace by id. */
const hasParts = (path: readonly string[]): boolean => path[0] === DRAFTS && path.length < 3;

/** The parts of the settings that are gone from a later reading of them. One that was changed is not gone. */
export function goneFrom(before: string, after: string, above: readonly string[] = []): readonly SettingsPart[] {
  const later = memberTexts(after);
  return [...memberTexts(before)].flatMap(([name, part]): readonly SettingsPart[] => {
    const path = [...above, name];
    const other = later.get(name);
    if (other === undefined) return [{ path, text: part }];
    return hasParts(path) && isObjectText(part) && isObjectText(other) ? goneFrom(part, other, path) : [];
  });
}

/** The settings with parts put back that are gone from them. */
export function withParts(settings: string, parts: readonly SettingsPart[]): string {
  return parts.reduce((result, { path, text: part }) => withMember(result, path, part), settings);
}
