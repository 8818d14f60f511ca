import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { addContext, changeUserConfig } from '../../flows/settings/change-config.js';
import { contextMembers } from '../../flows/settings/context-members.js';
import { contextFlags } from '../../flags/context.js';
import { knownContext } from '../../flows/settings/connections.js';
import { platformAddress } from '../../cli/transports.js';
import { findKnown } from '../../cli/settings.js';
import { contextChange } from '../../output/views/context.js';

interface LineOnly {
  readonly 'token-file'?: string | undefined;
  readonly 'token-command'?: string | undefined;
  readonly protected?: boolean | undefined;
}

export default class ContextAdd extends BaseCommand {
  static override summary = 'Add a context: a named connection to a platform';
  static override description =
    'The first context becomes the current one. Adding an existing context with the same values changes nothing; with other values it exits with 6. To change a context, use cdapctl context set.';
  static override examples = [
    'cdapctl context add prod --url https://cdap.example.com:10443 --namespace etl',
    'cdapctl context add prod --url https://cdap.example.com:10443 --token-file ./token --protected',
    "cdapctl context add gcp --url https://cdap.example.com/api --token-command 'gcloud auth print-access-token'",
    'cdapctl context add test --url http://127.0.0.1:11015 --hub sample --json',
  ];
  static override failures = ['CONFIG', 'HUB_NOT_FOUND', 'CONFLICT', 'LOCKED'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl context use', 'cdapctl context set', 'cdapctl context list', 'cdapctl hub add'];
  static override args = { name: Args.string({ required: true, description: 'name of the context' }) };
  static override flags = {
    url: Flags.string({ char: 'u', required: true, summary: 'base URL of the platform', helpValue: 'URL' }),
    ...contextFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextAdd);
    const found = await findKnown(this.session);
    const wasThere = Object.hasOwn(found.sources.user?.config.contexts ?? {}, args.name);
    const members = await contextMembers({ ...flags, ...this.lineOnly(flags) }, found, this.session);
    await changeUserConfig(addContext(args.name, { ...members, url: platformAddress(flags.url) }), this.session);
    const context = knownContext(args.name, await findKnown(this.session));
    await this.show(contextChange, { ...context, change: wasThere ? 'unchanged' : 'added' });
  }

  /** What the environment says of tokens is for runs; a context gets it only from its line. */
  private lineOnly(flags: LineOnly): LineOnly {
    const given = <K extends keyof LineOnly>(name: K): LineOnly[K] => (this.onLine.has(name) ? flags[name] : undefined);
    return {
      'token-file': given('token-file'),
      'token-command': given('token-command'),
      protected: given('protected'),
    };
  }
}
