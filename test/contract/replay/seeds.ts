import type { EmulatorOptions } from '../../../src/emulator/start.js';
import { p1 } from './bodies.js';
import { oldPipeline } from './older-bodies.js';
import { RECORDS_6_1, RECORDS_6_11 } from './report-records.js';

const PARENTS = 'system:cdap-data-pipeline[6.0.0,7.0.0)';
const NOOP = { type: 'transform', name: 'Noop', className: 'ex.plug.Noop', description: 'does nothing' };

const noop = (version: string) => ({ namespace: 'rec_a2', name: 'noop', version, parents: PARENTS, plugins: [NOOP] });
const plain = (name: string, version: string, namespace = 'rec_a2') => ({ namespace, name, version });
const pipeline = (namespace: string, name: string) => ({ namespace, name, ...p1() });

/** A clock on which a second passes with every look at it: the recording client waited for a run to end. */
function ticking(step = 1000, begin = Date.UTC(2026, 10, 21)): () => number {
  let time = begin;
  return () => (time += step);
}

/** Reports are RUNNING until the replay ends their generation; the emulator's own runs are younger than the recorded ones. */
const reports = (records: typeof RECORDS_6_1) => ({
  seed: { reports: { records: [...records], generateMilliseconds: 1_000_000_000, scanMilliseconds: 300 } },
  now: ticking(300, Date.UTC(2030, 0, 1)),
});

/** What the real server held before the first exchange of a file, as far as the exchanges show it. */
export const SEEDS: Readonly<Record<string, Omit<EmulatorOptions, 'port' | 'hubPort'>>> = {
  '6.11.0/conventions.json': { seed: { namespaces: ['ns1'] } },
  '6.11.0/artifacts.json': {
    seed: {
      namespaces: ['rec_a1', 'rec_a2'],
      artifacts: [
        plain('fits', '7.0.0', 'rec_a1'),
        ...['1.0.0', '1.1.0', '1.10.0', '2.0.0-SNAPSHOT'].map(noop),
        plain('conc', '1.0.0'),
        plain('field-adder', '2.2.0'),
      ],
      applications: [pipeline('rec_a2', 'u7')],
    },
  },
  '6.11.0/reports.json': reports(RECORDS_6_11),
  '6.1.1/reports.json': reports(RECORDS_6_1),
  '6.11.0/upgrade.json': {
    seed: {
      namespaces: ['rec_a2'],
      artifacts: [{ ...plain('hello', '2.1.0'), applications: [{ className: 'ex.app.HelloApp' }] }],
      applications: [
        { namespace: 'rec_a2', name: 'HelloApp', artifact: { name: 'hello', version: '2.1.0', scope: 'USER' } },
      ],
    },
  },
  '6.11.0/programs.json': {
    seed: { namespaces: ['rec_b1', 'rec_b2'], applications: [pipeline('rec_b1', 'p1'), pipeline('rec_b2', 'p1')] },
  },
  '6.1.1/programs.json': {
    seed: { namespaces: ['rec1'], applications: [{ namespace: 'rec1', name: 'orders', ...oldPipeline() }] },
  },
  '6.11.0/dashboard.json': {
    seed: { namespaces: ['rec_b1', 'rec_b2'], applications: [pipeline('rec_b1', 'p1'), pipeline('rec_b2', 'p1')] },
    now: ticking(1000, 1_795_238_200_000),
  },
  '6.1.1/dashboard.json': {
    seed: {
      namespaces: ['rec1', 'rec_up'],
      applications: [
        { namespace: 'rec1', name: 'orders', ...oldPipeline() },
        { namespace: 'rec_up', name: 'pipe', ...oldPipeline() },
      ],
      reports: { running: true },
    },
    now: ticking(1000, 1_795_238_500_000),
  },
  '6.11.0/metrics.json': {
    seed: { namespaces: ['rec_b1'], applications: [pipeline('rec_b1', 'p1')] },
    now: ticking(1000, 1_795_237_600_000),
  },
  '6.1.1/metrics.json': {
    seed: {
      namespaces: ['rec1'],
      applications: [{ namespace: 'rec1', name: 'orders', ...oldPipeline() }],
      reports: { running: true },
    },
    now: ticking(1000, 1_795_237_600_000),
  },
  '6.11.0/apps.json': {
    seed: {
      namespaces: ['rec_a1', 'rec_a2'],
      artifacts: [plain('noop', '1.0.0')],
    },
  },
  '6.11.0/schedules.json': {
    seed: { namespaces: ['rec_b1', 'rec_b2'], applications: [pipeline('rec_b1', 'p1'), pipeline('rec_b2', 'p1')] },
  },
  '6.11.0/preferences.json': {
    seed: { namespaces: ['rec_b1', 'rec_b2'], applications: [pipeline('rec_b1', 'p1')] },
  },
  '6.1.1/preferences.json': {
    seed: { namespaces: ['rec1'], applications: [{ namespace: 'rec1', name: 'rngh', ...oldPipeline() }] },
  },
  '6.11.0/system.json': { seed: { namespaces: ['ns1'] } },
  '6.11.0/hub-actions.json': { seed: { namespaces: ['rec_a2'], artifacts: [noop('1.0.0')] } },
  '6.11.0/drafts.json': { seed: { namespaces: ['rec_a1', 'rec_a2'] } },
  '6.1.1/applications.json': { seed: { namespaces: ['rec1', 'rec_del'] } },
  '6.1.1/artifacts.json': { seed: { namespaces: ['rec_a1', 'rec_a2'] } },
  '6.1.1/upgrade.json': { seed: { namespaces: ['rec_up'] } },
  '6.1.1/schedules.json': {
    seed: { namespaces: ['rec_up'], applications: [{ namespace: 'rec_up', name: 'pipe', ...oldPipeline() }] },
  },
  '4.3.5/artifacts.json': { seed: { namespaces: ['rec43'] } },
  '4.3.5/applications.json': { seed: { namespaces: ['rec43'] }, now: ticking() },
  '6.11.0/auth.json': {
    auth: [
      {
        user: 'alice',
        password: 'secret1',
        token: 'BAphbGljZQIAFAKE+access+token/FAKE+access+token/FAKE+access+token/FAKE+access+k=',
      },
    ],
  },
};
