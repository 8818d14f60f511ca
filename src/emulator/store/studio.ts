import type { Application } from './model.js';

/** The application that keeps the studio's drafts, with its service running, as on a real platform. */
export function studioApplication(now: number): Application {
  const version = '-SNAPSHOT';
  return {
    namespace: 'system',
    name: 'pipeline',
    versions: [
      {
        version,
        description: 'Data Pipeline System Services.',
        configuration: '{"service":true}',
        artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
        created: now,
        programs: [{ type: 'Service', name: 'studio', description: 'Keeps drafts and validates stages.' }],
        plugins: [],
        datasets: [],
      },
    ],
    schedules: [],
    runs: [
      {
        id: '6f5902ac-0000-11f0-8000-000000000001',
        program: 'studio',
        type: 'Service',
        started: now - 60_000,
        version,
        runtimeArguments: {},
      },
    ],
  };
}
