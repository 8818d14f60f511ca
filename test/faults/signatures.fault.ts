import { it } from 'vitest';
import { judge } from './judge.js';

const install = (site: { line(words: readonly string[]): string[] }): string[] =>
  site.line(['example-trim-fields@1.10.0', '-y']);

it('H22: a resource is not there', async () => {
  await judge({
    line: install,
    fault: (site) => site.fail({ match: { port: 'hub', path: '\\.jar$' }, kind: 'status', status: 404, when: 'before', times: 9 }),
    exit: 5,
    code: 'RESOURCE_MISSING',
    says: ['example-trim-fields-1.10.0.jar'],
    holds: 'AD',
  });
});
