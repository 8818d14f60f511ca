import { empty } from '../../http/answers.js';
import { compactJson } from '../../http/json-text.js';
import { route, type Route } from '../../http/route.js';

const PATH = '/v3/configuration/user';

/** The user store, one JSON document (docs/platform.md 6.1). Whatever JSON is written replaces all of it. */
export const userStoreRoutes: readonly Route[] = [
  route('GET', PATH, ({ store }) => {
    const { userSettings, generation } = store;
    const isLeftOut = userSettings === 'null' && generation.platform === '4.3.5';
    const body = isLeftOut ? '{"id":""}' : `{"id":"","property":${userSettings}}`;
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }),
  route('PUT', PATH, ({ store, text }) => {
    const isFirst = store.generation.platform === '4.3.5';
    const settings = text() === '' ? 'null' : compactJson(text(), isFirst ? 'gson' : 'plain');
    if (settings === undefined) {
      const told = 'Invalid JSON in body';
      const body = isFirst ? `"${told}"` : told;
      return { status: 400, headers: { 'content-type': 'application/json' }, body };
    }
    store.setUserSettings(settings);
    return empty();
  }),
  route('DELETE', PATH, ({ store }) => {
    store.setUserSettings('{}');
    return empty();
  }),
];
