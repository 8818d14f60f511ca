import * as z from 'zod/mini';
import type { PackageDescription } from '../../../services/catalog/show.js';

const Argument = z.object({
  name: z.string(),
  value: z.nullable(z.unknown()),
  canModify: z.boolean(),
  required: z.boolean(),
  missing: z.boolean(),
});
const Resource = z.object({
  name: z.string(),
  bytes: z.optional(z.number()),
  signature: z.boolean(),
  missing: z.boolean(),
});
const Action = z.object({
  n: z.number(),
  type: z.string(),
  label: z.string(),
  arguments: z.array(Argument),
  resources: z.array(Resource),
});
const Compatibility = z.object({
  platform: z.optional(z.string()),
  reason: z.optional(z.string()),
  compatible: z.boolean(),
});
/** A package as `hub show` gives it in JSON. */
export const PackageSchema = z.object({
  hub: z.string(),
  name: z.string(),
  version: z.string(),
  catalog: z.nullable(z.record(z.string(), z.unknown())),
  spec: z.record(z.string(), z.unknown()),
  actions: z.array(Action),
  differences: z.array(
    z.object({ field: z.string(), catalog: z.nullable(z.unknown()), spec: z.nullable(z.unknown()) }),
  ),
  versions: z.array(z.object({ version: z.string(), cdapVersion: z.optional(z.string()), compatible: z.boolean() })),
  compatibility: Compatibility,
});

/** The JSON form of a package. */
export const packageJson = (item: PackageDescription) => ({
  hub: item.hub,
  name: item.name,
  version: item.version,
  catalog: item.catalog ?? null,
  spec: item.spec,
  actions: item.actions.map((action) => ({
    n: action.n,
    type: action.type,
    label: action.label ?? action.type,
    arguments: action.arguments.map(({ name, value, canModify, required, missing }) => ({
      name,
      value: value ?? null,
      canModify,
      required,
      missing,
    })),
    resources: action.resources.map(({ name, bytes, signature, missing }) => ({ name, bytes, signature, missing })),
  })),
  differences: item.differences.map(({ field, catalog, spec }) => ({
    field,
    catalog: catalog ?? null,
    spec: spec ?? null,
  })),
  versions: item.versions.map(({ version, cdapVersion, compatibility }) => ({
    version,
    cdapVersion,
    compatible: compatibility.compatible,
  })),
  compatibility: item.compatibility,
});
