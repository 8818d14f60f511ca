import { JournalWriter } from './journal-writer.js';
import { sealed, type UpgradeEntry } from './upgrade-journal.js';

/**
 * Writes the journal of an upgrade. Each entry gets the number of its line, and what a rollback may send back gets a
 * digest.
 */
export class UpgradeJournal extends JournalWriter<UpgradeEntry> {
  protected override readonly written = sealed;
}
