import { visible } from '../../output/escape.js';
import { textLines } from '../../output/views/install.js';
import { signerText } from '../../output/views/hub/signer.js';
import { textsIn } from '../../services/install/package/arguments.js';
import type { OpenedPackage } from '../../services/install/package/open-package.js';
import type { InstallRun } from './install-run.js';
import { targetLine } from '../target-line.js';

/** Tells on stderr what will be installed, who signed it, and where it goes. Notes of its publisher follow. */
export function introduce(run: InstallRun, opened: OpenedPackage): void {
  const { terminal } = run.session;
  const tell = (line: string): void => {
    terminal.tell(line);
  };
  const { name, version, hub, chosen } = run.place;
  const [specification] = opened.trusted.reports;
  tell(
    `${visible(`${name} ${version}`)}  from ${visible(hub)}  ${signerText(specification?.verdict, opened.trusted.setup)}`,
  );
  if (chosen) tell(`note: selected ${visible(version)} from ${run.place.versions.length} versions`);
  const { preview, beta, paidLink } = opened.specification;
  if (preview || beta) tell(`note: this package is a ${preview ? 'preview' : 'beta'}`);
  if (paidLink !== undefined) tell(`note: additional charges may apply: ${visible(paidLink)}`);
  const { target } = run;
  if (target !== undefined) {
    const where = `namespace ${target.namespace} (${target.namespaceFrom})`;
    tell(targetLine({ ...target, where }));
  }
  // They often say what the next question wants, so they come before the questions (docs/hub-format.md 3.1).
  for (const { n, type, label, arguments: given } of opened.actions) {
    if (type === 'informational') for (const line of textLines(label ?? type, n, textsIn(given[0]?.value))) tell(line);
  }
}
