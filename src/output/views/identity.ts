import * as z from 'zod/mini';
import { dateText, hourText } from '../clock-text.js';
import { visible } from '../escape.js';
import type { Look } from '../look.js';
import { itemView, view } from './view.js';
import type { Column } from '../view-types.js';

const text = z.optional(z.string());
const IdentitySchema = z.object({
  context: text,
  url: z.string(),
  /** Whether the platform wants a token. */
  authentication: z.boolean(),
  user: text,
  /** Where the token comes from; never the token. */
  tokenFrom: text,
  expiresAt: text,
  version: z.string(),
  namespaces: z.optional(z.array(z.string())),
});

/** As whom a platform is used. */
export type Identity = z.infer<typeof IdentitySchema>;

const timeOf = ({ expiresAt }: Identity): Date | undefined =>
  expiresAt === undefined ? undefined : new Date(expiresAt);

const columns: readonly Column<Identity>[] = [
  { key: 'context', value: ({ context }) => context },
  { key: 'url', header: 'URL', value: ({ url }) => url },
  { key: 'user', value: ({ user, authentication }) => user ?? (authentication ? undefined : 'none: no login needed') },
  { key: 'tokenFrom', header: 'TOKEN', value: ({ tokenFrom }) => tokenFrom },
  { key: 'expiresAt', header: 'EXPIRES', value: timeOf },
  { key: 'version', header: 'PLATFORM', value: ({ version }) => version },
  { key: 'namespaces', value: ({ namespaces }) => namespaces },
];

/** Shows as whom a platform is used. */
export const identityView = itemView<typeof IdentitySchema, Identity>({
  kind: 'Identity',
  schema: IdentitySchema,
  name: ({ user, url }) => user ?? url,
  columns,
});

function loginText(identity: Identity, isKept: boolean, look: Look): string {
  const { context = '', url, user, authentication } = identity;
  const place = ` (context ${visible(context)})`;
  if (!authentication) return `No login needed for ${visible(url)}${isKept ? place : ''}`;
  const seconds = (timeOf(identity)?.getTime() ?? 0) / 1000;
  const until = seconds === 0 ? '' : ` until ${dateText(seconds, look)} ${hourText(seconds, look)}`;
  if (!isKept)
    return `The ${user === undefined ? 'token' : `login of ${visible(user)}`} works${until}; nothing is stored`;
  return `Logged in${user === undefined ? '' : ` as ${visible(user)}`}${until}${place}`;
}

const loginResult = (isKept: boolean) =>
  itemView<typeof IdentitySchema, Identity>({
    kind: 'Identity',
    schema: IdentitySchema,
    name: ({ user, url }) => user ?? url,
    columns,
    text: (identity, look) => [loginText(identity, isKept, look)],
  });

/** Says in a line who has logged in, and until when; programs get all of it. */
export const loginView = loginResult(true);

/** The same of a login that was only tried. */
export const triedLoginView = loginResult(false);

const Logout = z.object({ context: z.string(), state: z.enum(['removed', 'none']) });

/** What became of the token of a context. */
export type LogoutItem = z.infer<typeof Logout>;

/** Shows whose tokens were removed. */
export const logoutView = view<typeof Logout, LogoutItem>({
  kind: 'LogoutList',
  none: 'not logged in',
  schema: Logout,
  name: ({ context }) => context,
  columns: [
    { key: 'context', value: ({ context }) => context, telling: true },
    { key: 'state', value: ({ state }) => (state === 'removed' ? 'logged out' : 'was not logged in'), telling: true },
  ],
});
