import type { Platform } from '../../platform/client.js';
import { noNamespace } from '../../platform/namespaces.js';
import { getNamespace } from '../../platform/system.js';

/** Refuses a namespace that the platform does not have (docs/faults.md P04). */
export async function refuseNamespace(
  { platform, namespace }: { readonly platform: Platform; readonly namespace: string },
  signal: AbortSignal,
): Promise<void> {
  if ((await platform.find(getNamespace, { namespace }, signal)) !== undefined) return;
  throw noNamespace(namespace);
}
