import * as z from 'zod/mini';
import { view } from './view.js';

const Place = z.object({ name: z.enum(['config', 'state', 'cache']), path: z.string() });

/** Shows the folders of the tool. */
export const placeList = view({
  kind: 'PlaceList',
  none: 'no folders found',
  schema: Place,
  name: (place) => place.path,
  columns: [
    { key: 'name', value: (place) => place.name },
    { key: 'path', value: (place) => place.path },
  ],
});
