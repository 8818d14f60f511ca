import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import { expandHome, typedPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { durationFlag, forceFileFlag, forceFileWords, several, someTime } from '../../flags/values.js';
import { signFor } from '../../flows/hub/sign.js';
import type { SignedHub } from '../../services/hosting/sign/sign-hub.js';
import { parseFingerprint } from '../../services/keys/fingerprint.js';
import { visible } from '../../output/escape.js';
import { hubSign } from '../../output/views/hub/sign.js';

const MONTH = 30 * 86_400_000;

export default class HubSign extends BaseCommand {
  static override summary = 'Sign the files of a hub and its index';
  static override description =
    'Signs each file in DIR/packages/NAME/VERSION except icon.png and license.txt, then writes and signs index.json, which lists all files with their digests. Files that have a valid signature of every given key, and of no other, are not signed again. With --index-only, only the index is signed: cdapctl then treats the files listed in it as signed, other tools do not. Prompts for the passphrase unless --passphrase-file or the variable CDAPCTL_PASSPHRASE is set. To replace a key, sign with the old and the new one until all clients trust the new one, then with the new one only.';
  static override examples = [
    'cdapctl hub sign ./my-hub --key publisher.key --passphrase-file passphrase.txt',
    'cdapctl hub sign ./my-hub --key publisher.key --check --json',
  ];
  static override failures = [
    'INPUT_MISSING',
    'HUB_NOT_FOUND',
    'KEY_PERMS',
    'KEY_LOCKED',
    'SIGNER_FAILED',
    'SIGNER_BAD',
    'CHANGED_MEANWHILE',
    'REPUBLISH',
    'KEY_EXPIRED',
    'KEY_UNUSABLE',
    'SIG_MISSING',
    'SIG_BAD',
    'KEY_UNKNOWN',
    'ROLLBACK',
    'BAD_SOURCE',
    'CHANGES',
    'LOCKED',
    'LOCAL_IO',
  ] as const;
  static override seeAlso = ['cdapctl hub build', 'cdapctl hub key generate', 'cdapctl hub verify'];
  static override args = {
    dir: Args.string({ required: true, description: 'folder that contains packages and a catalog' }),
  };
  static override flags = {
    key: Flags.string({
      ...several,
      summary: 'file with a secret key from hub key generate or gpg; repeatable',
      helpValue: 'FILE',
    }),
    signer: Flags.string({
      summary: 'sign with this program, which reads a file on stdin and prints its detached signature',
      helpValue: 'COMMAND',
      exclusive: ['key', 'passphrase-file'],
      dependsOn: ['fingerprint'],
    }),
    fingerprint: Flags.string({
      summary: 'full fingerprint of the key that --signer uses',
      helpValue: 'FPR',
      dependsOn: ['signer'],
    }),
    keyring: Flags.string({
      ...several,
      summary: 'file with the public key of --fingerprint (default: those in DIR); repeatable',
      helpValue: 'FILE',
      dependsOn: ['signer'],
    }),
    'passphrase-file': Flags.string({
      ...several,
      summary: 'read the passphrase of the secret key from this file, - for stdin, one for each key; repeatable',
      helpValue: 'FILE',
    }),
    expires: durationFlag({
      summary: 'how long clients accept a new index (default: 30d); --refresh renews an unchanged one',
      parse: async (text) => someTime(text),
    }),
    refresh: Flags.boolean({
      summary: 'only renew the number and the dates of the index',
      exclusive: ['check'],
    }),
    'index-only': Flags.boolean({ summary: 'sign only index.json; write no .asc for other files' }),
    recheck: Flags.boolean({
      summary: 'read and verify all files, not only those that changed since the last run',
    }),
    check: Flags.boolean({ summary: 'write nothing; exit with 14 if a file would be signed' }),
    against: Flags.string({
      summary: 'URL of the published hub: continue the number of its index, and reject an older tree',
      helpValue: 'URL|DIR',
    }),
    force: Flags.boolean({
      summary: 'continue the number of an index without a valid signature, or of a verified one that is newer than DIR',
    }),
    'force-file': forceFileFlag,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubSign);
    const { against } = flags;
    // The published hub is found as --hub would find it.
    if (against !== undefined) this.onLine = new Set([...this.onLine, 'hub']);
    const context = await this.context({ ...flags, ...(against !== undefined && { hub: [against] }) });
    const place = (path: string): string => expandHome(path, context.home);
    const { signer, fingerprint = '' } = flags;
    if (signer === undefined && flags.key === undefined)
      throw new CliError('USAGE', 'specify the key: --key FILE, or --signer COMMAND with --fingerprint', {
        hints: ['to make a key: cdapctl hub key generate --out-file FILE --name NAME'],
      });
    const program =
      signer === undefined
        ? undefined
        : { command: signer, fingerprint: parseFingerprint(fingerprint), keyrings: (flags.keyring ?? []).map(place) };
    const result = await signFor(
      {
        folder: place(args.dir),
        keyFiles: (flags.key ?? []).map(place),
        program,
        passphraseFiles: flags['passphrase-file'] ?? [],
        validity: flags.expires ?? MONTH,
        indexOnly: flags['index-only'],
        recheck: flags.recheck,
        refresh: flags.refresh,
        check: flags.check,
        against: against !== undefined,
        force: flags.force,
        forced: flags['force-file'] ?? [],
      },
      context,
      this.session,
    );
    await this.show(hubSign, { ...result, folder: typedPath(result.folder) });
    const forced = forceFileWords(flags['force-file']);
    this.#tellOutcome([args.dir, ...forced], result, flags.expires !== undefined && !flags.check);
    if (flags.check && (result.index !== 'unchanged' || result.signed.length > 0))
      throw new CliError('CHANGES', 'the hub is not completely signed');
  }

  /** Says what comes next, and how an unchanged index is renewed that would get another expiry. */
  #tellOutcome([folder = '', ...forced]: readonly string[], result: SignedHub, isOther: boolean): void {
    const { index, stale, checked } = result;
    const next = stale ? ['build', folder] : ['publish', folder, 'TARGET'];
    const renew = (): string => visible(commandLine(withFlags(this.session.argv, ['--refresh'])));
    if (index === 'unchanged' && isOther)
      this.terminal.note(`note: the index has not changed, so it expires as before; to renew it: ${renew()}`);
    if (!checked) this.tellNext('hub', ...next, ...forced);
  }
}
