import { makeDriverClass } from '../../jar/make-class.js';
import { makeJar } from '../../jar/make-jar.js';
import type { SamplePackage } from './sample-package.js';
import { fixed, informational, jsonResource, open, specification } from './parts.js';
import { bundleManifest, classEntry } from './plugin-parts.js';

const CATEGORIES = ['3rd-party-artifact'];
const MEMORY_CLASS = 'org.example.jdbc.MemoryDriver';

/** The artifact configuration of a driver: the one plugin that the platform is told about. */
export function driverConfig(name: string, className: string, description: string): Buffer {
  return jsonResource({ plugins: [{ name, type: 'jdbc', className, description }] });
}

function memoryDriver(): SamplePackage {
  const version = '1.0.0';
  const jar = makeJar({
    manifest: bundleManifest('example-memory-driver', version, 'org.example.jdbc'),
    entries: [classEntry(MEMORY_CLASS, makeDriverClass(MEMORY_CLASS))],
  });
  const files = { config: 'example-memory-driver.json', jar: `example-memory-driver-${version}.jar` };
  const spec = specification({
    label: 'Memory Driver',
    description: 'A stand-in for a JDBC driver, to try out how drivers are installed. It connects to nothing.',
    created: 1_704_153_600,
    categories: CATEGORIES,
    actions: [
      {
        type: 'create_driver_artifact',
        label: 'Create the driver',
        arguments: fixed({ name: 'example-memory-driver', scope: 'user', ...files }),
      },
    ],
  });
  const resources = {
    [files.config]: driverConfig('example-memory', MEMORY_CLASS, 'Driver of the example memory database'),
    [files.jar]: jar,
  };
  return { name: 'example-memory-driver', version, spec, resources };
}

function postgresDriver(): SamplePackage {
  const config = 'postgresql.json';
  const spec = specification({
    label: 'PostgreSQL Driver',
    description: 'JDBC driver for PostgreSQL. The JAR is published by the makers of the database; you provide it.',
    created: 1_704_240_000,
    categories: [...CATEGORIES, 'EDW Offloading'],
    actions: [
      informational(
        'Get the driver',
        'Open https://jdbc.postgresql.org/download/ in a browser.',
        'Save the JAR for Java 8.',
        'Give its path in the next step.',
      ),
      {
        type: 'create_driver_artifact',
        label: 'Create the PostgreSQL driver',
        arguments: [...fixed({ name: 'postgresql', scope: 'user', config }), open('version', '42.7.4')],
      },
    ],
  });
  return {
    name: 'example-postgres-driver',
    version: '42.7.0',
    spec,
    resources: { [config]: driverConfig('postgresql', 'org.postgresql.Driver', 'Driver of PostgreSQL') },
  };
}

/** Packages with JDBC drivers and no range: one has its JAR in the hub, the other asks the user for it. */
export function driverPackages(): SamplePackage[] {
  return [memoryDriver(), postgresDriver()];
}
