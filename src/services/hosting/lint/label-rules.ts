import { createHash } from 'node:crypto';
import { brief, isRawObject } from '../../../hub/fields.js';
import type { Found } from './finding.js';
import { MOST_FAULTS } from './range-rules.js';
import { listOf, own, specOf, type LintedPackage, type Rule, type TreeCheck } from './rule.js';

function* withoutLabel(one: LintedPackage): Generator<Found> {
  for (const [at, action] of listOf(one.specification?.json['actions']).entries())
    if (isRawObject(action) && (typeof action['label'] !== 'string' || action['label'] === ''))
      yield {
        file: specOf(one),
        at: one.specification?.at(['actions', at]),
        message: `action ${at + 1} has no label; users see only its type`,
      };
}

/** A rule that compares the label of each package with earlier ones. */
const ofLabels = (make: () => (label: string, one: LintedPackage) => string | undefined) => (): TreeCheck => {
  const problem = make();
  const faults: Found[] = [];
  const see = (one: LintedPackage): void => {
    const label = one.specification?.json['label'];
    const message = typeof label === 'string' && label !== '' ? problem(label, one) : undefined;
    if (message !== undefined && faults.length < MOST_FAULTS)
      faults.push({ file: specOf(one), at: one.specification?.at(['label']), message });
  };
  return { see, end: () => faults };
};

/** Users tell packages apart by their labels; only digests of them are kept. */
function shared(): (label: string, one: LintedPackage) => string | undefined {
  const names = new Map<string, string>();
  return (label, { name }) => {
    const mark = createHash('sha256').update(label).digest('base64');
    const other = names.get(mark);
    if (other === undefined) names.set(mark, own(name));
    return other === undefined || other === name ? undefined : `${brief(label)} is also the label of ${other}`;
  };
}

/** Packages come by name, so the one before is another version of it, or of another name. */
function changed(): (label: string, one: LintedPackage) => string | undefined {
  let before: { readonly name: string; readonly version: string; readonly label: string } | undefined;
  return (label, { name, version }) => {
    const last = before;
    before = { name, version, label };
    if (last?.name !== name || last.label === label) return undefined;
    return `${brief(label)} is not the label of version ${last.version}: ${brief(last.label)}`;
  };
}

/** Rules for labels of packages and actions. */
export const LABEL_RULES: readonly Rule[] = [
  { id: 'LABEL_MISSING', severity: 'warning', summary: 'an action has no label', check: withoutLabel },
  { id: 'LABEL_SHARED', severity: 'warning', summary: 'two packages have the same label', across: ofLabels(shared) },
  {
    id: 'LABEL_CHANGED',
    severity: 'warning',
    summary: 'the label differs from that of another version of the package',
    across: ofLabels(changed),
  },
];
