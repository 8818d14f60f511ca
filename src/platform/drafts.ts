import * as z from 'zod/mini';
import { listOf } from '../core/collections.js';
import { below, path } from '../http/path.js';
import { endpoint, json, text } from './endpoint.js';

const DraftSummary = z.looseObject({ id: z.string(), name: z.optional(z.string()) });
const Artifact = z.looseObject({
  name: z.string(),
  version: z.optional(z.string()),
  scope: z.optional(z.string()),
});
const Draft = z.looseObject({ name: z.optional(z.string()), artifact: Artifact, config: z.optional(z.unknown()) });

/**
 * A draft as the studio shows it. Members of its configuration that the studio does not know are gone (docs/platform.md
 * 6.2).
 */
export type Draft = z.infer<typeof Draft>;

interface DraftPlace {
  readonly namespace: string;
  readonly id: string;
}

const drafts = (namespace: string) =>
  path`/v3/namespaces/system/apps/pipeline/services/studio/methods/v1/contexts/${namespace}/drafts`;

/** The drafts of the calling user, without their configurations. 500 as long as one of them has no name. */
export const listDrafts = endpoint({
  method: 'GET',
  path: (parameters: { readonly namespace: string }) => drafts(parameters.namespace),
  answer: json(listOf(DraftSummary), 'the list of drafts'),
});

/** One draft of the studio; 404 when it is absent. */
export const getDraft = endpoint({
  method: 'GET',
  path: ({ namespace, id }: DraftPlace) => below(drafts(namespace), id),
  answer: json(Draft, 'the draft'),
});

/** Creates a draft or writes over it; `draft` is the text of its JSON, which must have a name. */
export const putDraft = endpoint({
  method: 'PUT',
  path: ({ namespace, id }: DraftPlace & { readonly draft: string }) => below(drafts(namespace), id),
  body: ({ draft }) => ({ kind: 'text', text: draft, contentType: 'application/json' }),
  answer: text,
});

/** Removes a draft of the studio; 404 when it is absent. Never sent twice blindly. */
export const deleteDraft = endpoint({
  method: 'DELETE',
  path: ({ namespace, id }: DraftPlace) => below(drafts(namespace), id),
  answer: text,
});
