import { CliError } from '../core/errors.js';
import { shellWord } from '../core/shell-word.js';
import type { FoundSettings } from './settings.js';

/** Refuses a list of namespaces where a command takes one, instead of working in the first; only the variable can hold one. */
export function refuseNamespaces({ settings: { namespaces } }: Pick<FoundSettings, 'settings'>): void {
  const { value = [], from = '' } = namespaces ?? {};
  if (value.length < 2) return;
  throw new CliError('USAGE', `${from} names ${value.length} namespaces, and this command takes one`, {
    hints: value.slice(0, 5).map((namespace) => `-n ${shellWord(namespace)}`),
  });
}
