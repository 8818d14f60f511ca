import { describe, expect, it } from 'vitest';
import { knownContext, sameHubs } from '../../../../src/flows/settings/connections.js';
import type { CliError } from '../../../../src/core/errors.js';
import type { FoundSettings } from '../../../../src/cli/settings.js';

const found = (contexts: object): FoundSettings =>
  ({ sources: { user: { config: { contexts } } }, settings: { context: undefined } }) as unknown as FoundSettings;
const PROD = { url: 'https://cdap.example.com' };

describe('a context that is not there', () => {
  it.each([
    ['none is configured', undefined, {}, 'no context is configured yet', /^cdapctl context add NAME --url /u],
    ['none is configured, but one is named', 'x', {}, 'no context is configured yet', /^cdapctl context add NAME /u],
    ['none is current', undefined, { prod: PROD }, 'there is no current context', /^cdapctl context use prod$/u],
    ['its name is wrong', 'prd', { prod: PROD }, 'there is no context "prd"', /^Did you mean "prod"\?$/u],
  ])('%s', (_, name, contexts, message, hint) => {
    let failure: unknown;
    try {
      knownContext(name, found(contexts));
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: 'NOT_FOUND', message });
    expect((failure as CliError).details.hints?.[0]).toMatch(hint);
  });
});

describe('a hub of the same address', () => {
  const sources = { user: { config: { hubs: { corp: { url: 'https://hub.example.com/v2' } } } } };
  it.each([
    ['extra', 'https://hub.example.com/', ['corp']],
    ['extra', 'https://hub.example.com/v2', ['corp']],
    ['extra', 'https://hub.example.com/v3', []],
    ['corp', 'https://hub.example.com/v2', []],
  ])('is found for %s at %s: %j', (name, url, others) => {
    expect(sameHubs({ name, url }, { sources, settings: {} } as unknown as FoundSettings)).toEqual(others);
  });
});
