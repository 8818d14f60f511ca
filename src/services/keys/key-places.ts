import type { KeyPlace } from './hub-key.js';

/** What knows the hubs of a run and where their keys are. */
export interface KeyStores {
  hubs(): Promise<readonly { readonly name: string }[]>;
  trustStore(hub: string): Promise<KeyPlace>;
}

/** The places of the keys of all hubs of a run. */
export async function keyPlaces(stores: KeyStores): Promise<readonly KeyPlace[]> {
  const places: KeyPlace[] = [];
  for (const { name } of await stores.hubs()) places.push(await stores.trustStore(name));
  return places;
}
