import type { ShownFault, Rule } from '../services/hosting/lint/rule.js';

/** A relative reference, or for a path from the root a URI. */
const uriOf = (file: string): string =>
  `${file.startsWith('/') ? 'file://' : ''}${file.split('/').map(encodeURIComponent).join('/')}`;

/** Faults of a source tree as SARIF 2.1.0, which code hosts show beside the lines of a change. */
export function sarifText(faults: readonly ShownFault[], rules: readonly Rule[], version: string): string {
  const driver = {
    name: 'cdapctl',
    version,
    rules: rules.map(({ id, summary, severity }) => ({
      id,
      shortDescription: { text: summary },
      defaultConfiguration: { level: severity },
    })),
  };
  const results = faults.map(({ file, line, column, rule, severity, message }) => ({
    ruleId: rule,
    level: severity,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
  return `${JSON.stringify(log)}\n`;
}
