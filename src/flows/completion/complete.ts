import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { parseJson } from '../../core/json/json.js';
import { givenOn, joined, wantedAt, type KnownCommands } from './word.js';
import { fieldsOf } from './fields.js';
import { namesOf } from './names.js';

const optional = z.optional;
const Manifest = z.object({
  commands: z.record(
    z.string(),
    z.object({
      hidden: optional(z.boolean()),
      flags: z.record(
        z.string(),
        z.object({
          type: z.string(),
          char: optional(z.string()),
          allowNo: optional(z.boolean()),
          hidden: optional(z.boolean()),
          delimiter: optional(z.string()),
          helpValue: optional(z.union([z.string(), z.array(z.string())])),
          options: optional(z.array(z.string())),
        }),
      ),
      args: z.record(z.string(), z.object({ options: optional(z.array(z.string())) })),
    }),
  ),
});

/** What a shell takes for "complete a file yourself". */
const FILES = ':files';
/** What no shell takes for more than a word. Anybody may have chosen a name that the platform lists. */
const PLAIN = /^[\p{L}\p{M}\p{N}_.:/=+-]+$/u;

function commandsOf(root: string): KnownCommands {
  return z.parse(Manifest, parseJson(readFileSync(join(root, 'oclif.manifest.json')), 'oclif.manifest.json')).commands;
}

/** Flags of a connection that stand on a line which is not finished yet. */
function connectionOn(words: readonly string[]): Readonly<Record<string, string | undefined>> {
  return {
    context: givenOn(words, 'context'),
    url: givenOn(words, 'url', 'u'),
    namespace: givenOn(words, 'namespace', 'n'),
    hub: givenOn(words, 'hub'),
  };
}

/** What may stand in the place of the last word of a line. What goes wrong completes nothing. */
export async function completions(
  line: readonly string[],
  open: (flags: Readonly<Record<string, unknown>>) => Promise<Pick<CommandContext, 'found' | 'hubs' | 'platform'>>,
  session: Pick<Session, 'build' | 'clock' | 'signal'>,
): Promise<readonly string[]> {
  const { words, isSplit } = joined(line.map((word) => word.trim()));
  const { wanted, typed, others, before } = wantedAt(words, commandsOf(session.build.root));
  if (wanted.kind === 'files') return [FILES];
  const flags = connectionOn(words);
  const all =
    wanted.kind === 'words'
      ? wanted.words
      : wanted.kind === 'fields'
        ? await fieldsOf(wanted.id)
        : await open({ ...flags, offline: wanted.of === 'package' })
            .then((context) => namesOf(wanted, typed, context, session))
            .catch(() => []);
  const prefix = `${isSplit ? '' : before}${others}`;
  const given = others.split(',');
  return [...new Set(all)]
    .filter((word) => PLAIN.test(word) && word.startsWith(typed) && !given.includes(word))
    .map((word) => `${prefix}${word}`);
}
