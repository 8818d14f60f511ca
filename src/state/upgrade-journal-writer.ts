import { JournalWriter } from './journal-writer.js';
import { sealed, type UpgradeEntry } from './upgrade-journal.js';

/**
 * The journal of an upgrade as it is written: each entry has the number of its line, and what a rollback may send back
 * a digest.
 */
export class UpgradeJournal extends JournalWriter<UpgradeEntry> {
  protected override readonly written = sealed;
}
