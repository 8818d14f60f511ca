// What the sources declare, as data: the command manifest, the JSON schemas, the tables of the README. Bundled and run by generate.mjs.
import { commands } from 'cdapctl:commands';
import { views } from 'cdapctl:views';
import * as z from 'zod/mini';
import { cacheCommand } from '../node_modules/@oclif/core/lib/util/cache-command.js';
import { withTwins } from '../src/flags/environment-names.ts';
import { ERRORS } from '../src/core/errors.ts';
import { ACTION_TYPES } from '../src/hub/action-types.ts';
import { EXIT_CODES } from '../src/output/exit-codes.ts';

/** oclif's manifest of all commands. */
export async function manifest(version) {
  const entries = Object.entries(commands).map(async ([id, load]) => {
    const { default: command } = await load();
    command.id = id;
    withTwins(command.flags);
    return [id, await cacheCommand(command, { alias: 'cdapctl', name: 'cdapctl', type: 'core' })];
  });
  return { commands: Object.fromEntries(await Promise.all(entries)), version };
}

/** The JSON schema of every kind of result. */
export function schemas() {
  const warnings = z.array(z.object({ code: z.string(), message: z.string() }));
  const page = z.object({
    offset: z.int(),
    returned: z.int(),
    total: z.int(),
    next: z.nullable(z.union([z.int(), z.string()])),
  });
  const all = views.map(({ kind, shape, schema }) => {
    const base = { schemaVersion: z.literal(1), kind: z.literal(kind), warnings };
    const content = shape === 'list' ? { items: z.array(schema), page } : { item: schema };
    return [kind, z.looseObject({ ...base, ...content })];
  });
  return [...all, ['Error', errorSchema(warnings)]].map(([kind, schema]) => [
    kind,
    z.toJSONSchema(schema, { io: 'input' }),
  ]);
}

function errorSchema(warnings) {
  const request = z.looseObject({
    method: z.string(),
    url: z.string(),
    status: z.optional(z.int()),
    attempts: z.optional(z.int()),
  });
  const error = z.looseObject({
    code: z.enum(Object.keys(ERRORS)),
    exitCode: z.int(),
    message: z.string(),
    details: z.string(),
    hints: z.array(z.string()),
    target: z.catchall(z.object({ sent: z.optional(z.enum(['no', 'unknown'])) }), z.string()),
    request: z.optional(request),
    causes: z.array(z.string()),
  });
  return z.looseObject({ schemaVersion: z.literal(1), kind: z.literal('Error'), error, item: z.unknown(), warnings });
}

/** The generated parts of the README, by the name of their markers. */
export async function tables() {
  const { commands: known } = await manifest('');
  const rows = Object.entries(known)
    .filter(([, { hidden }]) => hidden !== true)
    .map(([id, { summary }]) => `| \`cdapctl ${id.replaceAll(':', ' ')}\` | ${summary} |`);
  const codes = [...EXIT_CODES].map(([code, [name, when]]) => `| ${code} | ${name} | ${when} |`);
  return {
    commands: ['| Command | What it does |', '|---|---|', ...rows].join('\n'),
    'action-types': actionTypes(),
    'exit-codes': ['| Code | Name | When |', '|---|---|---|', ...codes].join('\n'),
  };
}

function actionTypes() {
  const all = Object.entries(ACTION_TYPES);
  const list = (isWanted) => all.filter(([, { needs }]) => isWanted(needs)).map(([type]) => `\`${type}\``);
  const older = list((needs) => needs !== undefined).join(' and ');
  const text = `${list((needs) => needs === undefined).join(', ')}, and on platforms up to 5.x, which have streams, ${older}.`;
  return text.replace(/(.{1,88})(?: |$)/gu, '$1\n').trimEnd();
}
