import * as z from 'zod/mini';
import { view } from './view.js';

const Artifact = z.object({ name: z.string(), version: z.string(), scope: z.string() });

/** Shows the artifacts that a namespace sees. */
export const artifactList = view({
  kind: 'ArtifactList',
  none: 'no artifacts found',
  schema: Artifact,
  name: ({ name, version }) => `${name}@${version}`,
  columns: [
    { key: 'name', value: ({ name }) => name, whole: true },
    { key: 'version', value: ({ version }) => version },
    { key: 'scope', value: ({ scope }) => scope },
  ],
});
