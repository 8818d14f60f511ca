import { empty } from '../answers.js';
import { compactJson } from '../json-text.js';
import { route, type Route } from '../router.js';

const PATH = '/v3/configuration/user';

/** The user store, one JSON document (contract 6.1); whatever JSON is written replaces all of it. */
export const userStoreRoutes: readonly Route[] = [
  route('GET', PATH, ({ store }) => {
    const body = `{"id":"","property":${store.userSettings}}`;
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }),
  route('PUT', PATH, ({ store, text }) => {
    const settings = text() === '' ? 'null' : compactJson(text());
    if (settings === undefined) {
      return { status: 400, headers: { 'content-type': 'application/json' }, body: 'Invalid JSON in body' };
    }
    store.setUserSettings(settings);
    return empty();
  }),
  route('DELETE', PATH, ({ store }) => {
    store.setUserSettings('{}');
    return empty();
  }),
];
