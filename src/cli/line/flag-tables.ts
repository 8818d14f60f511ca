import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parseJson } from '../../core/json/json.js';
import { tableOf, type FlagTable } from './argv.js';

const Flag = z.object({
  type: z.string(),
  char: z.optional(z.string()),
  allowNo: z.optional(z.boolean()),
  helpValue: z.optional(z.union([z.string(), z.array(z.string())])),
});
const Manifest = z.object({
  commands: z.record(
    z.string(),
    z.object({ flags: z.record(z.string(), Flag), args: z.record(z.string(), z.unknown()) }),
  ),
});

/** The flags of a command, and whether it takes arguments. */
export interface LineRules {
  readonly flags: FlagTable;
  readonly takesArguments: boolean;
  /** Whether an argument is a package, which may have a version. */
  readonly takesPackages: boolean;
}

/** The rules of all commands, by their ids, as the manifest has them; none where there is no manifest. */
export function readLineRules(root: string): ReadonlyMap<string, LineRules> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(root, 'oclif.manifest.json'));
  } catch {
    return new Map();
  }
  const { commands } = z.parse(Manifest, parseJson(bytes, 'oclif.manifest.json'));
  return new Map(
    Object.entries(commands).map(([id, { flags, args }]) => [
      id,
      { flags: tableOf(flags), takesArguments: Object.keys(args).length > 0, takesPackages: 'package' in args },
    ]),
  );
}
