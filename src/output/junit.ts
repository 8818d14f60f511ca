import { largestOf } from '../core/collections.js';
import type { Finding } from '../services/doctor/run-checks.js';
import type { ShownFault } from '../services/hosting/lint/rule.js';
import type { UpgradedPipeline, UpgradeResult } from '../services/upgrade/upgrade-result.js';

// XML 1.0 has no way to write these, not even as references
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const IN_TEXT = /[&<>\r]/gu;
const IN_ATTRIBUTE = /[&<>"\t\n\r]/gu;

/** Text that any XML parser reads back as it was, but for what XML cannot hold. */
function escaped(text: string, special: RegExp): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(special, (found) => ESCAPES[found] ?? found);
}

function attributes(named: Readonly<Record<string, string | number>>): string {
  return Object.entries(named)
    .map(([name, value]) => ` ${name}="${escaped(String(value), IN_ATTRIBUTE)}"`)
    .join('');
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

/** What a person needs to know of a failure, a line each. */
function reasons({ error, findings, errorFile, from, to }: UpgradedPipeline): string {
  const { message = '', status } = error ?? {};
  const stages = findings.map(({ level, stage, reason }) => `${level}: stage ${JSON.stringify(stage)}: ${reason}`);
  return [
    message,
    `from ${from}${to === undefined ? '' : ` to ${to}`}`,
    ...stages,
    ...(status === undefined ? [] : [`the platform responded with ${status}`]),
    ...(errorFile === undefined ? [] : [`request: ${errorFile}`]),
  ].join('\n');
}

function outcomeOf(one: UpgradedPipeline): string {
  const { state, error, detail = '' } = one;
  if (state === 'failed' || state === 'blocked' || state === 'unknown') {
    const message = error?.message ?? (detail === '' ? state : detail);
    // Nobody knows whether it failed.
    const element = state === 'unknown' ? 'error' : 'failure';
    const details = attributes({ message, type: error?.code ?? state });
    return `<${element}${details}>${escaped(reasons(one), IN_TEXT)}</${element}>`;
  }
  if (state === 'planned' || state === 'upgraded' || state === 'rolled-back') return '';
  return `<skipped${attributes({ message: detail === '' ? state : `${state}: ${detail}` })}/>`;
}

function testcase(one: UpgradedPipeline): string {
  const { namespace: classname, name, durationMs } = one;
  return `    <testcase${attributes({ classname, name, time: seconds(durationMs) })}>${outcomeOf(one)}</testcase>`;
}

interface Counts extends Readonly<Record<string, string | number>> {
  readonly name: string;
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly time: string;
}

function report(counts: Counts, skipped: number, testcases: readonly string[]): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(counts)}>`,
    `  <testsuite${attributes({ ...counts, skipped })}>`,
    ...testcases,
    '  </testsuite>',
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The result of an upgrade for continuous integration, with a test case per pipeline. Pipelines that need nothing or
 * were not tried are skipped test cases. `duration` is that of the whole, in seconds.
 */
export function junitXml({ command, summary, pipelines }: UpgradeResult, duration: number): string {
  const unknown = pipelines.filter(({ state }) => state === 'unknown').length;
  const counts = {
    name: `cdapctl ${command}`,
    tests: summary.total,
    failures: summary.failed - unknown,
    errors: unknown,
    time: seconds(duration * 1000),
  };
  return report(counts, summary.current + summary.skipped + summary.notRun, pipelines.map(testcase));
}

function findingCase({ id, state, message, fix, ms }: Finding): string {
  const said = escaped([message, ...(fix === undefined ? [] : [`fix: ${fix}`])].join('\n'), IN_TEXT);
  const outcome =
    state === 'fail'
      ? `<failure${attributes({ message, type: id })}>${said}</failure>`
      : `<system-out>${state === 'warn' ? 'warning: ' : ''}${said}</system-out>`;
  return `    <testcase${attributes({ classname: 'doctor', name: id, time: seconds(ms) })}>${outcome}</testcase>`;
}

/** What doctor found for continuous integration, with a test case per check. Warnings are no failures. */
export function findingsXml(findings: readonly Finding[]): string {
  const counts = {
    name: 'cdapctl doctor',
    tests: findings.length,
    failures: findings.filter(({ state }) => state === 'fail').length,
    errors: 0,
    // They run at once.
    time: seconds(largestOf([0, ...findings.map(({ ms }) => ms)])),
  };
  return report(counts, 0, findings.map(findingCase));
}

function faultCase({ file, line, column, rule, severity, message }: ShownFault): string {
  const place = `${file}:${line}:${column}`;
  const said = escaped(`${place}: ${message}`, IN_TEXT);
  const outcome =
    severity === 'error'
      ? `<failure${attributes({ message, type: rule })}>${said}</failure>`
      : `<system-out>warning: ${said}</system-out>`;
  return `    <testcase${attributes({ classname: file, name: `${rule} ${line}:${column}`, time: '0.000' })}>${outcome}</testcase>`;
}

const passedCase = (classname: string): string =>
  `    <testcase${attributes({ classname, name: 'no errors or warnings', time: '0.000' })}></testcase>`;

/**
 * What a lint found for continuous integration, with a test case per fault. `passed` are the folders of packages
 * without any, a test case each. Warnings are no failures.
 */
export function lintXml(faults: readonly ShownFault[], passed: readonly string[]): string {
  const failures = faults.filter(({ severity }) => severity === 'error').length;
  const tests = faults.length + passed.length;
  const counts = { name: 'cdapctl hub lint', tests, failures, errors: 0, time: '0.000' };
  return report(counts, 0, [...faults.map(faultCase), ...passed.map(passedCase)]);
}
