import type { Store } from '../../store.js';
import { joined, type RunSource } from './selection.js';
import { startedRuns } from '../runs.js';

/**
 * The runs that the service knows at this moment: the generated ones, those of the emulator's own programs except the
 * studio, which was never started, and seeded ones.
 */
export function knownRuns(store: Store): RunSource {
  const places = [...store.namespaces().map(({ name }) => name), 'system'];
  const applications = places.flatMap((place) => store.applications(place));
  const started = applications.flatMap((application) => startedRuns(application, store.now()));
  const begun = started.filter(({ start }) => start > 0);
  return joined(store.runTable, [...begun, ...store.reports.records]);
}
