import * as z from 'zod/mini';
import type { PackageItem } from '../../../services/catalog/package-item.js';
import { view } from '../view.js';
import type { Described } from '../../view-types.js';

const text = z.optional(z.string());
const Package = z.object({
  hub: z.string(),
  name: z.string(),
  version: z.string(),
  label: text,
  description: text,
  author: text,
  org: text,
  cdapVersion: text,
  created: z.optional(z.number()),
  createdAt: text,
  categories: z.array(z.string()),
  beta: z.boolean(),
  preview: z.boolean(),
  paid: z.boolean(),
  paidLink: text,
  license: text,
  compatible: z.boolean(),
  compatibility: z.object({
    platform: text,
    reason: z.optional(z.enum(['IN_RANGE', 'BELOW', 'ABOVE', 'NO_RANGE', 'EMPTY_RANGE', 'INVALID_RANGE'])),
    compatible: z.boolean(),
  }),
  actions: z.optional(z.array(z.string())),
  installed: z.optional(z.enum(['installed', 'partial', 'removing', 'left'])),
});

const timeOf = ({ created }: PackageItem): Date | undefined =>
  created === undefined ? undefined : new Date(created * 1000);

function jsonOf(item: PackageItem): Described<typeof Package> {
  const { hub, name, version, label, description, author, org, cdapVersion, created, ...rest } = item;
  const createdAt = timeOf(item)?.toISOString();
  return { hub, name, version, label, description, author, org, cdapVersion, created, createdAt, ...rest };
}

function flagsOf(item: PackageItem): string {
  const { reason } = item.compatibility;
  return [
    item.installed === undefined || item.installed === 'installed' ? (item.installed ?? '') : 'partly installed',
    item.beta && !item.preview ? 'beta' : '',
    item.preview ? 'preview' : '',
    item.paid || item.paidLink !== undefined ? 'paid' : '',
    item.license === undefined ? '' : 'license',
    reason === 'EMPTY_RANGE' ? 'no platform' : '',
    reason === 'BELOW' || reason === 'ABOVE' ? 'not compatible' : '',
  ]
    .filter((flag) => flag !== '')
    .join(',');
}

const packages = (several: boolean) =>
  view<typeof Package, PackageItem>({
    kind: 'HubPackageList',
    none: '',
    schema: Package,
    json: jsonOf,
    name: (item) => `${item.name}@${item.version}`,
    columns: [
      { key: 'hub', value: (item) => item.hub, wide: !several },
      { key: 'name', value: (item) => item.name, whole: true },
      { key: 'version', value: (item) => item.version },
      { key: 'label', value: (item) => item.label },
      { key: 'categories', value: (item) => item.categories.join(','), spare: 1 },
      { key: 'cdapVersion', header: 'PLATFORM', value: (item) => item.cdapVersion ?? 'any', spare: 2 },
      { key: 'flags', value: flagsOf },
      { key: 'author', value: (item) => item.author, wide: true },
      { key: 'org', value: (item) => item.org, wide: true },
      { key: 'createdAt', header: 'CREATED', value: timeOf, day: true, wide: true },
      { key: 'actions', value: (item) => item.actions, wide: true },
    ],
  });

/** Shows the packages of one hub. */
export const packageList = packages(false);

/** Shows the packages of several hubs: the hub is a column of the table. */
export const packageListOfHubs = packages(true);
