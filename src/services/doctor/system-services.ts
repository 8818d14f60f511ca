import type { Platform } from '../../platform/client.js';
import { getServiceStatuses } from '../../platform/system.js';

/** The services of a platform that are not well, by name with their status. */
export async function servicesNotOk(platform: Platform, signal: AbortSignal): Promise<readonly string[]> {
  const statuses = await platform.call(getServiceStatuses, {}, signal);
  return Object.entries(statuses).flatMap(([name, status]) => (status === 'OK' ? [] : [`${name} ${status}`]));
}
