import { argument, type ActionShape } from '../../catalog/argument-shape.js';

const required = { required: true } as const;
const resource = { resource: true } as const;

/** Types that packages of real hubs have and that this version does not carry out: they are shown, verified and downloaded, and refused by an install. */
export const COMING: ReadonlyMap<string, ActionShape> = new Map<string, ActionShape>([
  [
    'create_stream',
    { arguments: [argument('name', required), argument('description'), argument('properties', resource)], asks: [] },
  ],
  [
    'load_datapack',
    {
      arguments: [argument('name', required), argument('files', { type: 'texts', ...required, ...resource })],
      asks: ['name'],
    },
  ],
]);
