import { JournalWriter } from './journal-writer.js';
import { sealed, type UpgradeEntry } from './upgrade-journal.js';

/** The journal of an upgrade as it is written: what a rollback may send back is sealed with a digest. */
export class UpgradeJournal extends JournalWriter {
  override append(entry: UpgradeEntry): Promise<void> {
    return super.append(sealed(entry));
  }
}
