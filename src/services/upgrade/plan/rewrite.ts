import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import { replaceTexts, type TextEdit } from '../../../core/json/text.js';
import type { PluginUse } from '../pipeline.js';

/** A version that is to be written where the artifact of a plugin names its own. */
export interface VersionEdit {
  readonly use: PluginUse;
  readonly to: string;
}

function editOf(configuration: string, { use, to }: VersionEdit): readonly TextEdit[] {
  const what = `the version in ${use.place} ${use.stage}`;
  if (use.artifact === undefined || use.version === undefined)
    throw new CliError('INTERNAL', `${what} cannot be replaced because there is none`);
  const { start, end } = use.version;
  if (parseJson(Buffer.from(configuration.slice(start, end)), what) !== use.artifact.version)
    throw new CliError('INTERNAL', `${what} is not where it was read`);
  return to === use.artifact.version ? [] : [{ start, end, text: JSON.stringify(to) }];
}

/**
 * The text of a configuration with versions of plugin artifacts replaced. Every other character stays as it is, and so
 * does a version that is as it should be.
 * @throws INTERNAL or BAD_JSON for a use that was not read from this text
 */
export function rewrite(configuration: string, edits: readonly VersionEdit[]): string {
  return replaceTexts(
    configuration,
    edits.flatMap((edit) => editOf(configuration, edit)),
  );
}
