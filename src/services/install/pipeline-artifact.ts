import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import { parseRange, type Range } from '../../core/version-range.js';
import type { ResolvedAction } from './action.js';

/** The artifact of a pipeline, by exact version or range. The platform resolves a range to its highest match. */
export interface PipelineArtifact {
  readonly name: string;
  readonly version: string;
  readonly range: Range;
  readonly scope: 'SYSTEM' | 'USER';
}

/**
 * The artifact that the action of a pipeline or of a draft names. Its scope in upper case, which drafts insist on
 * (docs/platform.md 6.2).
 * @throws BAD_ACTION when it cannot be used
 */
export function pipelineArtifact(action: ResolvedAction): PipelineArtifact {
  const bad = (what: string): CliError =>
    new CliError('BAD_ACTION', `action ${action.n} (${action.type}): argument "artifact" ${what}`);
  const given = action.arguments.get('artifact');
  const value = typeof given === 'string' ? parseJson(Buffer.from(given), `the artifact of action ${action.n}`) : given;
  if (typeof value !== 'object' || value === null) throw bad('is not an object');
  const { name, version, scope = 'user' } = Object.fromEntries(Object.entries(value));
  if (typeof name !== 'string' || typeof version !== 'string' || typeof scope !== 'string')
    throw bad('lacks a name, version or scope');
  const range = parseRange(version);
  if (range === undefined) throw bad(`has "${version}", which is not a version or range`);
  return { name, version, range, scope: scope.toUpperCase() === 'SYSTEM' ? 'SYSTEM' : 'USER' };
}
