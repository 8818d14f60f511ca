import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { errnoOf, localError } from '../../core/files/local-error.js';
import { writeAtomically } from '../atomic-write.js';
import { ownUser } from '../process-identity.js';
import { privateFolder } from '../private-folder.js';
import { readFrom, readOwn } from '../read-state-file.js';

const Login = z.strictObject({
  v: z.literal(1),
  context: z.string(),
  /** The address that the token is for; a context that has another one by now does not get it. */
  url: z.string(),
  user: z.optional(z.string()),
  token: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.optional(z.number()),
});

/** The token of a context as a login keeps it. */
export type Login = z.infer<typeof Login>;

/** What a file holds; undefined where it is damaged, without a word of what it holds. */
function parsed(text: string): Login | undefined {
  try {
    return Login.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const folderIn = (state: string): string => join(state, 'logins');

/** The file that keeps the token of a context. */
export const loginFile = (state: string, context: string): string => join(folderIn(state), `${context}.json`);

/**
 * The token that a login keeps for a context; undefined where there is none.
 * @throws STATE_PERMS when others can read it, LOCAL_IO when it is no such file
 */
export async function readLogin(state: string, context: string): Promise<Login | undefined> {
  const file = loginFile(state, context);
  const text = await readFrom(file, {}, async (handle) => {
    if (((await handle.stat()).mode & 0o077) !== 0 && ownUser() !== undefined)
      throw new CliError('STATE_PERMS', `${file} can be read by other users`, {
        hints: [`chmod 600 ${file}`],
        target: { file },
      });
    return handle.readFile('utf8');
  });
  if (text === undefined) return undefined;
  const login = parsed(text);
  // On a disk that does not tell capitals apart the file may be that of another context.
  if (login !== undefined) return login.context === context ? login : undefined;
  throw new CliError('LOCAL_IO', `${file} is damaged`, { hints: [`rm ${file}`], target: { file } });
}

/** Keeps the token of a context in a file that only its owner can read. */
export async function writeLogin(state: string, login: Omit<Login, 'v'>): Promise<void> {
  await privateFolder(state);
  await privateFolder(folderIn(state));
  const text = `${JSON.stringify({ v: 1, ...login })}\n`;
  await writeAtomically(loginFile(state, login.context), text, { overwrite: true });
}

async function removeFile(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw localError(error, 'write', file);
  }
}

/** Whether a login keeps a token for a context, damaged or not. */
export async function hasLogin(state: string, context: string): Promise<boolean> {
  try {
    const bytes = await readOwn(loginFile(state, context));
    if (bytes === undefined) return false;
    const login = parsed(bytes.toString('utf8'));
    // On a disk that does not tell capitals apart the file may be that of another context.
    return login === undefined || login.context === context;
  } catch {
    // What cannot be read is nobody else's.
    return true;
  }
}

/** Removes the token of a context, damaged or not; whether there was one. */
export const removeLogin = async (state: string, context: string): Promise<boolean> =>
  (await hasLogin(state, context)) && removeFile(loginFile(state, context));

/** Removes the tokens of contexts as `loggedIn` names them. */
export async function removeLogins(state: string, names: readonly string[]): Promise<void> {
  for (const name of names) await removeFile(loginFile(state, name));
}

/** The contexts that a login keeps a token for, by name. */
export async function loggedIn(state: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folderIn(state));
    return names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [])).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw localError(error, 'read', folderIn(state));
  }
}
