import type { Store } from '../../store/store.js';
import type { RunSource } from '../../store/report-store.js';
import { joined } from './selection.js';
import { startedRuns } from '../../store/runs.js';

/**
 * The runs that the service knows now: generated, seeded, and those of the emulator's own programs. Leaves out the
 * studio, which was never started.
 */
export function knownRuns(store: Store): RunSource {
  const places = [...store.namespaces().map(({ name }) => name), 'system'];
  const applications = places.flatMap((place) => store.applications(place));
  const started = applications.flatMap((application) => startedRuns(application, store.now()));
  const begun = started.filter(({ start }) => start > 0);
  return joined(store.runTable, [...begun, ...store.reports.records]);
}
