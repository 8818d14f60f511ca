import * as Args from '@oclif/core/args';
import { BaseCommand } from '../cli/base-command.js';
import { CliError } from '../core/errors.js';
import { apiFlags } from '../flags/api.js';
import { placelessFlags } from '../flags/connection.js';
import { consentFlags } from '../flags/consent.js';
import { callPlatform, showCalled } from '../flows/api/call.js';
import { apiView } from '../output/views/api.js';

export default class Api extends BaseCommand {
  static override summary = 'Send a request to the platform, with its token, proxy and certificates';
  static override description =
    'PATH is relative to the URL of the platform and can include a query. Prints the response body. Values that look secret are hidden, also in plain text such as logs; --raw prints the body unchanged. All methods except GET need confirmation (-y), are sent only once, and exit with 16 if the response is lost. An error response is printed, too (in json in item of the error), and exits with the code for its status.';
  static override examples = [
    'cdapctl api GET /v3/namespaces',
    "cdapctl api POST '/v3/metrics/search?target=tag' -y",
    'cdapctl api GET /v3/version --include --json',
    "cdapctl api GET '/v3/namespaces/etl/apps?pageSize=100' --paginate",
  ];
  static override failures = [
    'CONSENT_MISSING',
    'DECLINED',
    'NOT_FOUND',
    'CONFLICT',
    'REMOTE_FAILED',
    'UNKNOWN_OUTCOME',
    'LOCAL_IO',
    'TOO_LARGE',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl whoami', 'cdapctl help exit-codes'];
  static override args = {
    method: Args.string({ required: true, description: 'GET, POST, PUT or DELETE' }),
    path: Args.string({ required: true, description: 'path with its query, for example /v3/namespaces' }),
  };
  static override flags = { ...apiFlags, ...placelessFlags, ...consentFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Api);
    if (this.onLine.has('namespace'))
      throw new CliError('USAGE', 'api takes no -n: PATH names the namespace', { hints: ['/v3/namespaces/NS/apps'] });
    const context = await this.context(flags);
    const { data, header } = flags;
    const as = { isRaw: flags.raw === true, include: flags.include === true, paginate: flags.paginate === true };
    const called = await callPlatform({ ...args, data, header }, as, context, this.session);
    await showCalled(called, this.session, async (answer) => this.show(apiView, answer));
  }
}
