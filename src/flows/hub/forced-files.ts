import type { Emit } from '../../core/events.js';
import type { HubIndex } from '../../hub/index-file.js';
import { unknownForced } from '../../services/hosting/tree/unknown-forced.js';

/** What a line names with `--force-file`, and the index of the published hub, if it was read. */
interface Forced {
  readonly forced: readonly string[];
  readonly published?: HubIndex | undefined;
}

/** Warns of files of `--force-file` that do not exist: a name may be misspelled. */
export async function warnOfForced(root: string, { forced, published }: Forced, emit: Emit): Promise<void> {
  for (const path of await unknownForced(root, forced, published)) {
    const message = `--force-file ${path} has no effect: neither the hub nor its index has this file`;
    emit({ type: 'warning', code: 'UNKNOWN_FILE', message });
  }
}
