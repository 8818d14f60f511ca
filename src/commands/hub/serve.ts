import { once } from 'node:events';
import { hostname } from 'node:os';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { formatOf } from '../../cli/line/argv.js';
import { expandHome } from '../../cli/line/local-path.js';
import { homeOf } from '../../cli/folders.js';
import { CliError } from '../../core/errors.js';
import { serveFor, usageOf } from '../../flows/hub/serve.js';
import { isMachineFormat } from '../../output/format.js';
import { hubServer } from '../../output/views/hub/serve.js';

export default class HubServe extends BaseCommand {
  static override summary = 'Serve the folder of a hub over http or https';
  static override description =
    'Runs in the foreground until stopped with Ctrl-C or SIGTERM. Serves the catalog, the signed index and the files in packages and categories, with and without /v2 in the URL, and the page of hub build --site at /. Does not serve other files, hidden files, links or directory listings. Without --host, only this machine can connect. To change the hub while it is served, serve a folder that hub publish updates: clients reject files that do not match the index. On a network, sign the hub and use --tls-cert and --tls-key. SIGHUP reloads the certificate and reopens the access log without closing connections; if neither is used, it stops the command.';
  static override examples = [
    'cdapctl hub serve ./my-hub --port 8085',
    'cdapctl hub serve ./my-hub --port 0 --json',
    'cdapctl hub serve ./my-hub --port 8085 --tls-cert server.pem --tls-key server.key --access-log access.log',
  ];
  static override failures = ['HUB_NOT_FOUND', 'BAD_SOURCE', 'IN_USE', 'CONFIG', 'KEY_PERMS', 'LOCAL_IO'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub build', 'cdapctl hub sign', 'cdapctl hub add'];
  static override args = {
    dir: Args.string({ required: true, description: 'folder that contains packages' }),
  };
  static override flags = {
    host: Flags.string({
      summary: 'address to listen on (default: 127.0.0.1); 0.0.0.0 for all networks',
      default: '127.0.0.1',
      helpValue: 'ADDRESS',
    }),
    port: Flags.integer({
      summary: 'port to listen on (default: 8085); 0 for any free port',
      min: 0,
      max: 65_535,
      default: 8085,
      helpValue: 'PORT',
    }),
    name: Flags.string({ summary: 'title of the hub, served as metadata.json', helpValue: 'LABEL' }),
    'tls-cert': Flags.string({
      summary: 'certificate with its chain (PEM); enables https',
      dependsOn: ['tls-key'],
      helpValue: 'FILE',
    }),
    'tls-key': Flags.string({
      summary: 'secret key of the certificate (PEM); other users must not be able to read it',
      dependsOn: ['tls-cert'],
      helpValue: 'FILE',
    }),
    'access-log': Flags.string({
      summary: 'append one line per request to this file, in the common log format; - for stdout',
      helpValue: 'FILE|-',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubServe);
    const { host, name, port } = flags;
    const place = (path: string): string => expandHome(path, homeOf(this.session.env));
    const [cert, key, log] = [flags['tls-cert'], flags['tls-key'], flags['access-log']];
    if (log === '-' && isMachineFormat(formatOf(this.session.argv, this.session.env)))
      throw new CliError('USAGE', 'the access log and the result would both be written to stdout', {
        hints: ['use --access-log FILE'],
      });
    const hub = await serveFor(
      {
        folder: place(args.dir),
        host,
        port,
        name,
        tls: cert === undefined || key === undefined ? undefined : { cert: place(cert), key: place(key) },
        accessLog: log === undefined || log === '-' ? log : place(log),
      },
      this.session,
    );
    const urlAt = (at: string): string =>
      `${cert === undefined ? 'http' : 'https'}://${at.includes(':') ? `[${at}]` : at}:${hub.port}/v2`;
    const url = urlAt(host);
    // The address of all networks is none that clients can use.
    const reached = ['0.0.0.0', '::'].includes(host) ? urlAt(hostname()) : url;
    await this.show(hubServer, { folder: args.dir, url, port: hub.port, packages: hub.packages });
    this.terminal.tell(usageOf(hub, args.dir, reached));
    if (!this.signal.aborted) await once(this.signal, 'abort');
    await hub.close();
  }
}
