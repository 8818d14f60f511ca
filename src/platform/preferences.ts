import * as z from 'zod/mini';
import { recordOf } from '../core/collections.js';
import { path, type UrlPath } from '../http/path.js';
import { endpoint, json, jsonBody, text } from './endpoint.js';

/** One place that has preferences of its own. `type` is the word of paths: `workflows`, `spark`. */
export type PreferencePlace =
  | { readonly level: 'instance' }
  | { readonly level: 'namespace'; readonly namespace: string }
  | { readonly level: 'app'; readonly namespace: string; readonly application: string }
  | {
      readonly level: 'program';
      readonly namespace: string;
      readonly application: string;
      readonly type: string;
      readonly program: string;
    };

/** A level at which preferences can be set. The narrowest one that has a key decides. */
export type Level = PreferencePlace['level'];

function pathOf(place: PreferencePlace): UrlPath {
  switch (place.level) {
    case 'instance':
      return path`/v3/preferences`;
    case 'namespace':
      return path`/v3/namespaces/${place.namespace}/preferences`;
    case 'app':
      return path`/v3/namespaces/${place.namespace}/apps/${place.application}/preferences`;
    case 'program':
      return path`/v3/namespaces/${place.namespace}/apps/${place.application}/${place.type}/${place.program}/preferences`;
  }
}

/** The preferences of a place itself, without those of the levels above; 404 when the place is absent. */
export const getPreferences = endpoint({
  method: 'GET',
  path: (place: PreferencePlace) => pathOf(place),
  answer: json(recordOf(z.string()), 'the preferences'),
});

/** Replaces all preferences of a place (docs/platform.md 8.3). */
export const putPreferences = endpoint({
  method: 'PUT',
  path: ({ place }: { readonly place: PreferencePlace; readonly values: Readonly<Record<string, string>> }) =>
    pathOf(place),
  body: ({ values }) => jsonBody(values),
  answer: text,
});

/** Removes all preferences of a place; no error where there are none. */
export const deletePreferences = endpoint({
  method: 'DELETE',
  path: (place: PreferencePlace) => pathOf(place),
  answer: text,
});
