/**
 * What a person can do after an error, with the facts that the message needs. Commands and flags are named above
 * services.
 */
export interface NextSteps {
  readonly 'list-contexts': object;
  readonly 'show-context': { readonly name: string };
  readonly 'add-context': { readonly name: string };
  /** Members by their names in the configuration. */
  readonly 'set-context': { readonly name: string; readonly members: ReadonlyMap<string, unknown> };
  readonly 'own-configuration': object;
  readonly 'give-token-file': object;
  readonly 'correct-token-file': object;
  readonly 'trust-authority': object;

  readonly 'list-hubs': object;
  readonly 'cache-catalog': { readonly hub: string };
  readonly 'add-hub': { readonly name: string };
  readonly 'name-hub': { readonly hub: string };
  readonly 'remove-hub': { readonly name: string };
  readonly 'search-package': { readonly package: string };
  readonly 'name-hub-folder': { readonly folder: string };
  readonly 'download-signatures': object;
  readonly 'download-again': { readonly package?: string | undefined; readonly folder?: string | undefined };
  readonly 'finish-download': { readonly package: string; readonly folder: string | undefined };
  readonly 'download-apart': object;
  readonly 'add-key': { readonly hub: string };
  readonly 'allow-expired-key': { readonly fingerprint: string };
  readonly 'allow-stale': object;
  readonly 'forget-hub': object;
  readonly 'verify-with-hub': object;
  readonly 'verify-by-index': object;
  readonly 'keep-files': object;
  readonly 'replace-files': object;
  readonly 'replace-file': object;
  readonly 'replace-package': object;
  readonly 'list-installed': object;
  readonly 'list-keys': object;
  readonly 'choose-key': object;
  readonly 'public-key': object;
  readonly 'secret-key': object;
  readonly 'build-hub': { readonly folder: string };
  readonly 'init-hub': { readonly folder: string };
  readonly 'generate-key': { readonly file: string };
  readonly 'pack-package': { readonly folder: string };
  readonly 'signer-key': { readonly fingerprint: string };
  readonly 'force-sequence': object;
  /** Each as `NAME/VERSION/FILE`; `more`: there are others. */
  readonly 'force-file': { readonly files: readonly string[]; readonly more: boolean };
  /** Of a hub in a folder: undefined where it was not named as one. */
  readonly 'restore-file': { readonly folder: string | undefined };
  /** Files of a hub that may be of two publications. */
  readonly 'publish-again': object;
  readonly 'refresh-index': { readonly folder: string | undefined; readonly isLate: boolean };
  readonly 'mirror-again': { readonly folder: string; readonly of: 'hub' | 'key' };
  readonly 'publish-refreshed': { readonly folder: string | undefined };
  /** `file`: the lock file, where it has another name than the default. */
  readonly 'lock-packages': { readonly package?: string | undefined; readonly file?: string | undefined };

  readonly 'write-time': object;
  readonly 'write-condition': { readonly example: string };
  readonly 'write-pattern': object;
  readonly 'values-file': object;
  readonly 'use-namespace': { readonly namespace: string };
  readonly 'set-argument': {
    readonly n: number;
    readonly name: string;
    readonly what: 'one' | 'another';
    readonly fixed?: boolean;
  };
  readonly 'meant-argument': { readonly n: number; readonly name: string };
  readonly 'force-argument': object;
  readonly 'rename-thing': { readonly n: number; readonly mayForce?: true };
  readonly 'give-archive': { readonly n?: number | undefined };
  readonly 'list-actions': object;
  readonly 'list-versions': { readonly package: string };
  readonly 'skip-unknown': object;
  readonly 'skip-stream': { readonly n: number };
  readonly 'system-parent': { readonly namespace: string };
  readonly 'force-install': object;
  readonly 'force-in-vain': { readonly n: number };
  readonly 'force-overwrite': { readonly what: 'it' | 'properties' };
  readonly 'do-again': { readonly how: 'deploy' | 'upload' };
  readonly 'load-again': { readonly n: number };
  readonly 'write-plan': object;
  readonly 'resume-record': { readonly file: string };
  readonly 'other-record': object;
  readonly 'look-at-plan': { readonly of: 'install' | 'upgrade' };
  readonly 'plan-namespaces': { readonly namespace?: string | undefined };

  readonly 'list-upgrades': object;
  readonly 'help-upgrade': object;

  readonly 'list-metrics': { readonly pipeline?: string };
  readonly 'list-metric-tags': { readonly namespace: string; readonly pipeline: string };
  readonly 'tag-run': object;
  readonly 'take-latest-run': object;
  readonly 'list-runs': { readonly pipeline: string };
  readonly 'wait-for-run': { readonly pipeline: string; readonly run: string };
  readonly 'start-run': { readonly pipeline: string };
  readonly 'why-run': { readonly pipeline: string; readonly run: string };
  readonly 'stop-all-runs': { readonly pipeline: string };
  /** Undefined: of all namespaces. */
  readonly 'list-pipelines': { readonly namespace: string | undefined };
  readonly 'list-namespaces': object;

  readonly 'list-reports': { readonly by?: 'name' | 'running' };
  readonly 'show-report': { readonly report: string };
  readonly 'wait-for-report': { readonly report: string };
  readonly 'wait-here': object;
  readonly 'download-report': {
    readonly report: string;
    readonly to?: 'share' | 'save';
  };
  readonly 'make-report-again': { readonly report: string; readonly download?: true };
  readonly 'delete-stuck-report': { readonly report: string };
  readonly 'make-from-runs': { readonly like?: string | undefined };
  readonly 'make-by-platform': { readonly what: string };
  readonly 'leave-engine-open': object;
  readonly 'report-service': { readonly later?: true };
  readonly 'enable-report-service': { readonly longer?: true };
  readonly 'write-capability-file': object;
  readonly 'delete-report-app': object;
}

/** A step by its name, with its facts. */
export type NextStep = { readonly [K in keyof NextSteps]: { readonly next: K } & NextSteps[K] }[keyof NextSteps];

/** What an error suggests: a complete command or sentence, or a step that is put into words when shown. */
export type Hint = string | NextStep;
