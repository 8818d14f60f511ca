import * as z from 'zod/mini';
import { visible } from '../escape.js';

/** A thing on the platform as results name it. */
export const ThingSchema = { kind: z.string(), name: z.string(), version: z.optional(z.string()) };

/** Kind, name and version in one, clean for a terminal. */
export const thingText = ({
  kind,
  name,
  version,
}: {
  readonly kind: string;
  readonly name: string;
  readonly version?: string | undefined;
}): string => visible(`${kind} ${name}${version === undefined ? '' : ` ${version}`}`);
