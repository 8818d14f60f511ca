import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** What users do not read in plain technical English; the better word stands behind. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/then the deed|another deed/iu, 'change'],
  [/house on one page|^# the house/imu, 'architecture'],
  [/trust a key no more|trusted from now on/iu, 'remove, trusted'],
  [/is forgotten; no key/iu, 'removed'],
  [/forget a named/iu, 'remove'],
  [/takes? back|taken back/iu, 'roll back, revoke'],
  [/came to its end|nothing to go on with/iu, 'is complete, nothing to resume'],
  [/go on with|goes on waiting|the platform goes on/iu, 'resume, continue'],
  [/once more stops/iu, 'press Ctrl-C again'],
  [/looking on|look again and again|looks again/iu, 'retrying, refresh'],
  [/their course over time/iu, 'trend'],
  [/wins over everything/iu, 'show this help'],
  [/this needs a yes|never to a license/iu, 'confirmation required'],
  [/speaks against/iu, 'compatible'],
  [/when a count is so|only what is sure/iu, 'when the condition holds'],
  [/rhythm/iu, 'cron expression'],
  [/files at once|pipelines side by side/iu, 'parallel'],
  [/went back in time/iu, 'older than one seen before'],
  [/nothing can be reached/iu, 'connection refused'],
  [/arguments? too many/iu, 'unexpected argument'],
  [/is not an address of http|address of http or https/iu, 'http(s) URL'],
  [/runs for real/iu, 'really run'],
  [/begun? anew|begins anew|built anew|start anew/iu, 'start over, rebuild'],
  [/wants (?:its|the) name typed/iu, 'needs'],
  [/between (?:two )?looks/iu, 'refreshes, checks'],
  [/whole and good|what has come of|there, unseen|for good\b/iu, 'complete, received, unchecked'],
  [/platform in miniature|trying things out|places and settings/iu, 'embedded platform, settings'],
  [/exclude each other/iu, 'cannot be used together'],
  [/platform is named/iu, 'no platform specified'],
  [/still at work after|whatever a context says|judge by this/iu, 'still working, even if, check'],
  [/longest wait|so many records|further (?:tries|certificate|condition)/iu, 'maximum, more'],
  [/do what this plan|anybody was asked/iu, 'apply this plan, before confirmation'],
  [/settings? (?:that is )?in force|you may see|several are allowed/iu, 'effective, can see, repeatable'],
  [/Give a (?:context|report)|what stands on the line|the receiver/u, 'rename, save, given as flags, recipient'],
  [/gets its name when|goes on as it is|that is there already/iu, 'complete, is used as it is, exists'],
  [/is there already|already there\b/iu, 'already exists'],
  [
    /somebody (?:else )?(?:changed|writes|wrote|removed)|which nobody trusted/iu,
    'changed by someone else, without a trusted signature',
  ],
  [/generation of the platform|clock went back|the answer was lost/iu, 'platform version, clock is wrong, response'],
  [
    /what was (?:done|removed) (?:before )?stays|nothing was counted for|brought back every/iu,
    'stay applied, no data, restored',
  ],
  [
    /more lines: the window is too low|runs that are \$|which this line leaves out/iu,
    'enlarge the terminal, is not selected',
  ],
];

/** What documents do not say, messages and code apart; the better word stands behind. */
const DOCUMENT_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bgo(?:es|ing)? on\b/iu, 'continue, resume'],
  [/\banew\b/iu, 'again, start over'],
  [/\bonce more\b/iu, 'again, retry'],
  [/\b(?:nobody|somebody)\b/iu, 'someone else, without a terminal'],
  [/\bdeeds?\b/iu, 'change, command'],
  [/\bin force\b/iu, 'effective, applies'],
  [/\bgreen\b|\b(?:a|the|no) gate\b/iu, 'pass, --fail-if condition'],
  [/\bin miniature\b|take everything back/iu, 'embedded, roll back all'],
  [/\b(?:files|tools?) of ours\b|whole or absent/iu, 'local files, complete or absent'],
];

/** What texts in the source and documents do not say; words of identifiers too, so that only texts are searched. */
const TEXT_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:nobody|somebody|everybody) (?:can|could|has|is|who|trusted)\b|as whom\b/iu, 'no one, anyone, everyone'],
  [/\bso many of them\b|\bso many points\b/iu, 'number of'],
  [/\bgo(?:es)? on\b/iu, 'continue'],
  [
    /\bis no (?:name|number|version|file|longer a plain file)\b|\bis no error\b/iu,
    'is not a valid name, is not an error',
  ],
  [/\b(?:is|are|until it is) (?:not )?whole\b/iu, 'complete, truncated'],
  [/\bmend(?:s|ed)?\b/iu, 'fix, repair'],
  [/\brefuses?\b|\b(?:is|are|be) refused\b/iu, 'reject'],
  [/\ball the same\b/iu, 'anyway'],
  [/\bof (?:yours|ours)\b/iu, 'your own'],
  [/\bl(?:eave|eaves|eft) out\b/iu, 'skip, omit, remove'],
  [/\bin (?:the )?place of\b/iu, 'instead of'],
  [/\bwhatever became\b|\bwhat became of\b|\bwhat becomes of\b/iu, 'the status of'],
  [/\binside (?:of )?one another\b/iu, 'must not contain each other'],
  [/\bis there before\b|\bthere twice\b/iu, 'duplicate'],
  [/\bthe last publication\b/iu, 'published last'],
  [/\bdoes? not tell\b|\btell itself\b|\btells what\b/iu, 'report, show'],
  [/\bhalf of (?:it|an update)\b/iu, 'inconsistent'],
  [/\bthe bundle waits\b|\bof the hub waits\b/iu, 'is not published yet'],
  [/\bno repository of git\b|\bpointer of Git\b/iu, 'not in a Git repository, Git LFS pointer'],
  [/\bis not as (?:its|the) (?:digest|index)\b/iu, 'does not match'],
  [/\bat hand\b|\brights of an administrator\b/iu, 'if you have, administrator rights'],
  [/\bneed be signed\b|\bneed not be\b/iu, 'is not required'],
  [/\blets? the next .* in\b|\bautomatically nowhere\b/iu, 'includes, never'],
  [/\bset aside by\b|\bbegan since\b|\bdoes not show yet\b/iu, 'moved aside, started since then, is not visible yet'],
];

/** The texts of a source: what stands in quotes and has a space in it, without the code inside. */
const textsOf = (file: string): string =>
  file.endsWith('.ts')
    ? [...textOf(file).matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gu)]
        .map(([text]) => text.replaceAll(/\$\{[^}]*\}/gu, ''))
        .filter((text) => text.includes(' '))
        .join('\n')
    : textOf(file);

/** A file as users read it: of a source without its comments, of CONTRIBUTING without its list of words. */
function textOf(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (!file.endsWith('.ts')) return text.replace(/^## Words$[^]*?(?=^## )/mu, '').replace(/\s+/gu, ' ');
  return text.replace(/\/\*\*[^]*?\*\//gu, '').replace(/^\s*\/\/.*$/gmu, '');
}

const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const DOCUMENTS = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...filesIn('docs', '.md')];
const FILES = [...DOCUMENTS, ...filesIn('src', '.ts')];

describe('what users read', () => {
  it.each(PHRASES)('has nothing like %s (%s)', (phrase) => {
    expect(FILES.length).toBeGreaterThan(300);
    expect(FILES.filter((file) => phrase.test(textOf(file)))).toEqual([]);
  });

  it.each(TEXT_PHRASES)('has nothing like %s (%s) in texts', (phrase) => {
    expect(FILES.filter((file) => phrase.test(textsOf(file)))).toEqual([]);
  });

  it.each(DOCUMENT_PHRASES)('has nothing like %s (%s) in documents', (phrase) => {
    expect(DOCUMENTS.length).toBeGreaterThan(20);
    expect(DOCUMENTS.filter((file) => phrase.test(textOf(file)))).toEqual([]);
  });

  // Tests are read by maintainers; their old names may go, new ones follow the list of words.
  it('has no more of the old words in names and texts of tests', () => {
    const old = /\b(?:nobody|somebody|anew|once more|go(?:es)? on|taken back)\b/giu;
    const tests = filesIn('test', '.ts').filter((file) => /\.(?:test|e2e|fault|contract|platform)\.ts$/u.test(file));
    const found = tests
      .filter((file) => !file.endsWith('wording.test.ts'))
      .flatMap((file) => textsOf(file).match(old) ?? []);
    expect(found.length).toBeLessThanOrEqual(310);
  });
});
