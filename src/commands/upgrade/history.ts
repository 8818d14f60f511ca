import { BaseCommand } from '../../cli/base-command.js';
import { refuseNamespaces } from '../../cli/settings.js';
import { connectionFlags } from '../../flags/connection.js';
import { namedNamespace } from '../../flows/upgrade/selection.js';
import { upgradeHistoryView } from '../../output/views/upgrade-history.js';
import { upgradeHistory, type PastUpgrade } from '../../services/upgrade/journals/history.js';

export default class UpgradeHistory extends BaseCommand {
  static override summary = 'List upgrades that can be rolled back';
  static override description =
    'Lists upgrades recorded on this machine, newest first; with -n only those that changed pipelines of that namespace. Sends no requests. To roll back one of them: `upgrade rollback JOURNAL`.';
  static override examples = ['cdapctl upgrade history', 'cdapctl upgrade history --json'];
  static override failures = ['JOURNAL', 'JOURNAL_NEWER', 'LOCAL_IO'] as const;
  static override seeAlso = ['cdapctl upgrade rollback'];
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(UpgradeHistory);
    const context = await this.context(flags);
    refuseNamespaces(context.found);
    // A context must not hide what can be rolled back.
    const namespace = namedNamespace(context);
    const url = context.platformAddress();
    const items: PastUpgrade[] = [];
    for await (const past of upgradeHistory(context.stateFolder, url, namespace)) items.push(past);
    const where = namespace === undefined ? url : `namespace "${namespace}" of ${url}`;
    await this.show(upgradeHistoryView, { items }, `no upgrade of ${where} was run from this machine`);
  }
}
