import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { refuseNamespaces } from '../../cli/settings.js';
import { artifactList } from '../../output/views/artifacts.js';
import { artifactsOf } from '../../services/listing/artifacts.js';

export default class ArtifactList extends BaseCommand {
  static override summary = 'List the artifacts available in a namespace';
  static override description =
    'Lists every version: artifacts of the namespace (scope user), then artifacts shared by all namespaces (scope system).';
  static override examples = [
    'cdapctl artifact list',
    'cdapctl artifact list -n default --scope user',
    'cdapctl artifact list --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl namespace list', 'cdapctl upgrade', 'cdapctl install'];
  static override flags = {
    scope: Flags.option({ options: ['user', 'system'] as const, summary: 'only artifacts of this scope' })(),
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ArtifactList);
    const context = await this.context(flags);
    refuseNamespaces(context.found);
    const { platform, namespace } = await context.platform();
    await this.show(artifactList, { items: await artifactsOf(namespace, flags.scope, platform, this.signal) });
  }
}
