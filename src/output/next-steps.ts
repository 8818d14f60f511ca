import type { Hint, NextSteps } from '../core/next-step.js';
import { shellWord } from '../core/shell-word.js';

const setFlag = (n: number, name: string, value = 'VALUE'): string => `--set ${shellWord(`${n}.${name}=${value}`)}`;

/** The flag of a member of a context, with its value: `--ca-file FILE` for `caFile`. */
function settingWords(member: string, value: unknown): readonly string[] {
  const flag = `--${member.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
  if (typeof value === 'boolean') return [flag];
  return [flag, shellWord(typeof value === 'string' ? value : JSON.stringify(value))];
}

/** The words of each step; the commands and flags in them are held against the program by a test. */
const WORDS: { readonly [K in keyof NextSteps]: (facts: NextSteps[K]) => string } = {
  'list-contexts': () => 'cdapctl context list',
  'show-context': ({ name }) => `cdapctl context show ${shellWord(name)}`,
  'add-context': ({ name }) => `cdapctl context add ${shellWord(name)} --url https://...`,
  'set-context': ({ name, members }) =>
    [
      'cdapctl context set',
      shellWord(name),
      ...[...members].flatMap(([member, value]) => settingWords(member, value)),
    ].join(' '),
  'own-configuration': () =>
    'set URLs, tokens, certificates, proxies and trust in your own configuration: cdapctl config path',
  'give-token-file': () => 'use a token file: -a FILE, or CDAPCTL_TOKEN_FILE',
  'correct-token-file': () => '-a (--token-file) takes a file that contains the token, or - for stdin',
  'trust-authority': () => 'to trust the certificate of that authority: --ca-file FILE',

  'list-hubs': () => 'cdapctl hub sources',
  'cache-catalog': ({ hub }) => `cdapctl hub list --hub ${shellWord(hub)}`,
  'add-hub': ({ name }) => `cdapctl hub add ${shellWord(name)} https://...`,
  'name-hub': ({ hub }) => `to give it a name: cdapctl hub add NAME ${shellWord(hub)}`,
  'remove-hub': ({ name }) => `cdapctl hub remove ${shellWord(name)} -y`,
  'search-package': ({ package: name }) => `cdapctl hub search ${shellWord(name)}`,
  'name-hub-folder': ({ folder }) => `or the package name: --hub ${shellWord(folder)} NAME`,
  'download-signatures': () =>
    'download the package again with its signatures: cdapctl hub download NAME@VERSION --clobber',
  'download-again': ({ package: name = 'NAME@VERSION', folder = 'FOLDER' }) =>
    `download it again: cdapctl hub download ${shellWord(name)} -D ${shellWord(folder)} --clobber`,
  'finish-download': ({ package: name, folder = 'FOLDER' }) =>
    `the download of this folder was not finished; run it again: cdapctl hub download ${shellWord(name)} -D ${shellWord(folder)}`,
  'download-apart': () => 'run the command once for each of them, each with another -D DIR',
  'restore-file': ({ folder = 'DIR' }) =>
    `restore the published file; in your own hub, if it was never published: cdapctl hub sign ${shellWord(folder)} --key FILE --force-file NAME/VERSION/FILE`,
  'publish-again': () =>
    'if the hub is being signed or published, try again later; if the error stays, tell the owner of the hub, who must run the interrupted command again (hub publish, hub mirror or hub sign)',
  'refresh-index': ({ folder = 'DIR', isLate }) =>
    `${isLate ? 'to renew the index' : 'before the index expires'}: cdapctl hub sign ${shellWord(folder)} --refresh --key FILE`,
  'mirror-again': ({ folder, of }) =>
    `${shellWord(folder)} is a mirror: run its cdapctl hub mirror command again${of === 'hub' ? ', when the hub has renewed its index' : ''}`,
  'publish-refreshed': ({ folder = 'DIR' }) =>
    `${shellWord(folder)} is published from another folder (TREE); there: cdapctl hub sign TREE --refresh --key FILE; then publish it again`,
  'lock-packages': ({ package: name = 'NAME', file }) =>
    `cdapctl hub lock ${shellWord(name)}${file === undefined ? '' : ` -O ${shellWord(file)}`}`,
  'add-key': ({ hub }) => `cdapctl hub key add FILE --hub ${shellWord(hub)} --fingerprint FPR`,
  'allow-expired-key': ({ fingerprint }) =>
    `--allow-expired-key ${shellWord(fingerprint)} accepts files that were signed while the key was valid`,
  'allow-stale': () => 'to accept it once: --allow-stale',
  'forget-hub': () => 'cdapctl hub remove NAME --forget',
  'verify-with-hub': () => 'to verify with the keys of a hub: --hub NAME',
  'verify-by-index': () => 'if its hub signs only its index: --hub NAME',
  'keep-files': () => 'to keep existing files: --skip-existing',
  'replace-files': () => 'to overwrite them: --clobber',
  'force-file': ({ files, more }) =>
    `to replace ${files.length === 1 ? 'the file' : 'files'} anyway: ${files.map((file) => `--force-file ${shellWord(file)}`).join(' ')}${more ? ' ...' : ''}`,
  'public-key': () => 'cdapctl hub key generate -O FILE writes the public key as FILE.pub',
  'secret-key': () => 'use FILE of cdapctl hub key generate -O FILE, not FILE.pub',
  'build-hub': ({ folder }) => `build the catalog first: cdapctl hub build ${shellWord(folder)}`,
  'init-hub': ({ folder }) => `to create one: cdapctl hub init ${shellWord(folder)}`,
  'generate-key': ({ file }) => `to generate one: cdapctl hub key generate -O ${shellWord(file)}`,
  'pack-package': ({ folder }) => `to add a package: cdapctl hub pack FILE.jar -D ${shellWord(folder)}`,
  'signer-key': ({ fingerprint }) => `if that is the right key: --fingerprint ${shellWord(fingerprint)}`,
  'force-sequence': () => 'to continue the number anyway: --force',
  'replace-file': () => 'use --clobber to overwrite it, or choose another file',
  'replace-package': () => 'to replace the package: --clobber',
  'list-installed': () => 'cdapctl installed list',
  'list-keys': () => 'cdapctl hub key list',
  'choose-key': () => '--fingerprint FPR',

  'write-time': () =>
    'use now, 2h (two hours ago), today, yesterday, 2026-07-01 or "2026-07-01 12:00" (local time, with --utc UTC), 2026-07-01T12:00:00Z, or epoch seconds (10 digits)',
  'write-condition': ({ example }) => `use a name, one of > >= < <= = != and a number: --fail-if ${shellWord(example)}`,
  'write-pattern': () => "use NAME or NAMESPACE/NAME; * and ? are wildcards: -p 'etl/orders-*'",
  'values-file': () => 'for the format: cdapctl install --help',
  'use-namespace': ({ namespace }) => `add -n ${shellWord(namespace)}`,
  'set-argument': ({ n, name, what, fixed }) =>
    what === 'one'
      ? `set one: ${setFlag(n, name, name.toUpperCase())}`
      : `set another one: ${setFlag(n, name)}${fixed === true ? ' --force-set' : ''}`,
  'meant-argument': ({ n, name }) => `Did you mean ${setFlag(n, name)}?`,
  'force-argument': () => 'to change it anyway: --force-set',
  'rename-thing': ({ n, mayForce }) =>
    `choose another name with --set ${n}.name=NAME${mayForce === true ? ', or overwrite it with --force' : ''}`,
  'give-archive': ({ n }) =>
    `${n === undefined ? 'rename the file' : `download the package, rename the file and add --jar ${n}=PATH`}, for example to shop-1.0.0.jar: the artifact gets its name and version from it`,
  'list-actions': () => 'to list action numbers: cdapctl hub show PACKAGE --actions',
  'list-versions': ({ package: name }) => `cdapctl hub show ${shellWord(name)} --versions`,
  'skip-unknown': () => 'to install the rest of the package: --skip-unknown',
  'skip-stream': ({ n }) => `platform 5 and later have no streams; to skip the action: --skip ${n}`,
  'system-parent': ({ namespace }) =>
    `a parent without a scope means namespace "${namespace}"; to use scope system: --assume-system`,
  'force-install': () => 'to install it anyway: --force',
  'force-in-vain': ({ n }) => `--force does not help: action ${n} needs a stream, but this platform has no streams`,
  'force-overwrite': ({ what }) =>
    what === 'it'
      ? 'to overwrite it: --force'
      : 'to overwrite its properties: --force (the JAR of a release cannot be replaced)',
  'do-again': ({ how }) => `to ${how} it again: --again`,
  'load-again': ({ n }) => `to load all files of action ${n} again, empty the stream and add --again`,
  'resume-record': ({ file }) => `cdapctl schedule resume --from ${shellWord(file)}`,
  'other-record': () => 'to leave these suspended: --record with another file',
  'write-plan': () => 'to write a plan: --plan-out FILE',
  'look-at-plan': ({ of }) =>
    `${of === 'install' ? 'use the same flags as for the plan, or make' : 'make'} a new plan: --plan-out FILE`,
  'plan-namespaces': ({ namespace }) =>
    namespace === undefined ? 'use -A' : `use -n ${shellWord(namespace)} as for the plan`,

  'list-upgrades': () => 'cdapctl upgrade history',
  'help-upgrade': () => 'cdapctl upgrade --help',

  'list-metrics': ({ pipeline }) =>
    pipeline === undefined
      ? 'use user.STAGE.records.error, or a name from cdapctl metrics list PIPELINE'
      : `cdapctl metrics list ${shellWord(pipeline)}`,
  'list-metric-tags': ({ namespace, pipeline }) =>
    `cdapctl metrics tags ${shellWord(`namespace=${namespace}`)} ${shellWord(`app=${pipeline}`)}`,
  'take-latest-run': () => 'to take the newest run: latest instead of the ID',
  'list-runs': ({ pipeline }) => `cdapctl pipeline runs ${shellWord(pipeline)}`,
  'wait-for-run': ({ pipeline, run }) => `cdapctl pipeline wait ${shellWord(pipeline)} ${shellWord(run)}`,
  'start-run': ({ pipeline }) => `cdapctl pipeline start ${shellWord(pipeline)}`,
  'why-run': ({ pipeline, run }) => `cdapctl pipeline why ${shellWord(pipeline)} ${shellWord(run)}`,
  'stop-all-runs': ({ pipeline }) => `cdapctl pipeline stop ${shellWord(pipeline)} --all-runs`,
  'list-pipelines': ({ namespace }) =>
    `cdapctl pipeline list ${namespace === undefined ? '-A' : `-n ${shellWord(namespace)}`}`,
  'list-namespaces': () => 'cdapctl namespace list',
  'tag-run': () => 'select the program and the run by tags: --tag service=NAME --tag run=ID',

  'list-reports': ({ by }) =>
    by === 'name'
      ? 'find it by name: cdapctl report list'
      : `cdapctl report list${by === 'running' ? ' --status RUNNING' : ''}`,
  'show-report': ({ report }) => `cdapctl report show ${shellWord(report)}`,
  'wait-for-report': ({ report }) => `cdapctl report wait ${shellWord(report)}`,
  'wait-here': () => 'add --wait',
  'download-report': ({ report, to }) =>
    `cdapctl report download ${shellWord(report)} -O report.csv${to === undefined ? '' : `  # ${to === 'share' ? 'then share the file' : 'for a copy elsewhere'}`}`,
  'make-report-again': ({ report, download }) =>
    `${download === true ? 'generate the report again and download it: ' : ''}cdapctl report generate --like ${shellWord(report)} --wait`,
  'delete-stuck-report': ({ report }) => `cdapctl report delete ${shellWord(report)} --force`,
  'make-from-runs': ({ like }) =>
    like === undefined
      ? 'to use run records instead: cdapctl report run --last 24h --engine runs'
      : `to generate it from run records: cdapctl report run --like ${shellWord(like)} --engine runs`,
  'make-by-platform': ({ what }) =>
    `where the report service runs, its reports (--engine platform) also include runs of deleted ${what}`,
  'leave-engine-open': () => 'remove --engine platform, or generate one report per namespace',
  'report-service': ({ later }) =>
    `${later === true ? 'wait a minute, then check: ' : ''}cdapctl report service status`,
  'enable-report-service': ({ longer }) =>
    `cdapctl report service enable${longer === true ? ' --timeout 15m  # to wait longer' : ''}`,
  'delete-report-app': () =>
    'cdapctl api DELETE /v3/namespaces/system/apps/ReportGenerationApp -y  # first delete the app that was deployed over HTTP, or the file is ignored',
  'write-capability-file': () => 'to write the file: --capability-file FILE',
};

const wordsOf = <K extends keyof NextSteps>(step: { readonly next: K } & NextSteps[K]): string =>
  WORDS[step.next](step);

/** A hint in words. */
export const hintText = (hint: Hint): string => (typeof hint === 'string' ? hint : wordsOf(hint));
