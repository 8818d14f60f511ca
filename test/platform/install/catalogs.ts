import { join } from 'node:path';
import { ROOT } from '../../support/processes/run-cli.js';

/** The hub of packages as they are published. */
export const TREE = join(ROOT, 'test/fixtures/hub');
/** What the catalogs of hubs show on a real platform; a unit test holds the samples. */
export const CATALOGS = [
  {
    hub: 'tree',
    shown: ['datapack-tweets-sample-labeled@1.0.0', 'jdbc-driver-oracle@12c', 'plugin-sendgrid@1.0.0'],
    hidden: {
      'directive-image-exif@1.0.0': 'ABOVE',
      'example-log-analysis@4.0.0': 'ABOVE',
      'example-log-analysis@4.2.0': 'ABOVE',
      'hydrator-plugin-date-transform@1.0.0': 'ABOVE',
      'plugin-pivot@1.0.0': 'EMPTY_RANGE',
      'solution-bulk-data-transfer@1.2.0': 'ABOVE',
      'solution-cdc-oracle-to-kudu@2.0.0': 'ABOVE',
      'solution-incremental-data-ingest@1.0.0': 'ABOVE',
      'solution-sms-spam-pipeline@1.3.0': 'ABOVE',
    },
  },
  {
    hub: 'samples',
    shown: [
      'example-address-check@1.2.0',
      'example-bare-parent@1.0.0',
      'example-csv-copy@1.0.0',
      'example-draft-report@1.0.0',
      'example-early-metrics@0.2.0',
      'example-mask-values@1.0.0',
      'example-memory-driver@1.0.0',
      'example-old-interface@1.0.0',
      'example-order-import@2.0.0',
      'example-postgres-driver@42.7.0',
      'example-trim-fields@1.10.0',
      'example-trim-fields@1.9.0',
    ],
    hidden: { 'example-click-stream@1.0.0': 'ABOVE', 'example-hidden-plugin@1.0.0': 'EMPTY_RANGE' },
  },
];
