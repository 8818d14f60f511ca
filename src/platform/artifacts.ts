import * as z from 'zod/mini';
import { listOf, recordOf } from '../core/collections.js';
import { below, path } from '../http/path.js';
import { endpoint, json, jsonBody, text } from './endpoint.js';

const UPLOAD_TIMEOUT = 15 * 60 * 1000;

const ArtifactSummary = z.looseObject({ name: z.string(), version: z.string(), scope: z.string() });
const PluginClass = z.looseObject({ name: z.string(), type: z.string(), className: z.optional(z.string()) });
const ArtifactDetail = z.looseObject({
  name: z.string(),
  version: z.string(),
  scope: z.string(),
  properties: z.optional(recordOf(z.string())),
  classes: z.looseObject({ apps: z.optional(listOf(z.looseObject({}))), plugins: z.optional(listOf(PluginClass)) }),
});

/** An artifact as the lists name it. */
export type ArtifactSummary = z.infer<typeof ArtifactSummary>;
/** An artifact with its classes and properties. */
export type ArtifactDetail = z.infer<typeof ArtifactDetail>;

interface ArtifactPlace {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
}

const artifacts = (namespace: string) => path`/v3/namespaces/${namespace}/artifacts`;

/** All artifacts that a namespace sees, of both scopes, in no useful order (docs/platform.md 4). */
export const listArtifacts = endpoint({
  method: 'GET',
  path: (parameters: { readonly namespace: string }) => artifacts(parameters.namespace),
  answer: json(listOf(ArtifactSummary), 'the list of artifacts'),
});

/** One version of an artifact of the user scope; 404 when it is absent. */
export const getArtifact = endpoint({
  method: 'GET',
  path: (place: ArtifactPlace) => below(artifacts(place.namespace), place.name, 'versions', place.version),
  answer: json(ArtifactDetail, 'the artifact'),
});

/**
 * An artifact to upload, sent in headers (docs/platform.md 4.1). Parents are joined by `/`, plugin classes are one line
 * of ASCII JSON.
 */
export interface ArtifactUpload extends ArtifactPlace {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly parents: readonly string[];
  readonly plugins: readonly unknown[];
}

const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** JSON in printable ASCII: the platform reads headers as Latin-1 (docs/platform.md 0.4). */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/gu, escapeUnits);
}

/** What an upload says in headers, as they are sent. */
export function uploadHeaders({ version, parents, plugins }: Pick<ArtifactUpload, 'version' | 'parents' | 'plugins'>) {
  return {
    'Artifact-Version': version,
    ...(parents.length > 0 && { 'Artifact-Extends': parents.join('/') }),
    ...(plugins.length > 0 && { 'Artifact-Plugins': asciiJson(plugins) }),
  };
}

/** Uploads a JAR as one version of an artifact; 409 when a release of that version exists. Never sent twice blindly. */
export const uploadArtifact = endpoint({
  method: 'POST',
  path: (upload: ArtifactUpload) => below(artifacts(upload.namespace), upload.name),
  headers: uploadHeaders,
  body: ({ file, bytes, sha256 }) => ({ kind: 'file', file, bytes, sha256, contentType: 'application/octet-stream' }),
  answer: text,
  headersTimeout: UPLOAD_TIMEOUT,
});

/** Replaces all properties of an artifact; harmless to repeat. */
export const putArtifactProperties = endpoint({
  method: 'PUT',
  path: (place: ArtifactPlace & { readonly properties: Readonly<Record<string, string>> }) =>
    below(artifacts(place.namespace), place.name, 'versions', place.version, 'properties'),
  body: ({ properties }) => jsonBody(properties),
  answer: text,
});

/**
 * Removes one version of an artifact of the user scope, also while applications use it. 404 when it is absent
 * (docs/platform.md 4). Never sent twice blindly.
 */
export const deleteArtifact = endpoint({
  method: 'DELETE',
  path: (place: ArtifactPlace) => below(artifacts(place.namespace), place.name, 'versions', place.version),
  answer: text,
});

/** The types of the plugins that extend an artifact of the user scope; 404 when it is absent. */
export const listExtensions = endpoint({
  method: 'GET',
  path: (place: ArtifactPlace) =>
    below(artifacts(place.namespace), place.name, 'versions', place.version, 'extensions'),
  answer: json(listOf(z.string()), 'the list of extensions'),
});

/** The plugins of one type that extend an artifact, with the artifacts that they come in. */
export const listPluginsOf = endpoint({
  method: 'GET',
  path: (place: ArtifactPlace & { readonly type: string }) =>
    below(artifacts(place.namespace), place.name, 'versions', place.version, 'extensions', place.type),
  answer: json(listOf(z.looseObject({ name: z.string(), artifact: ArtifactSummary })), 'the list of plugins'),
});
