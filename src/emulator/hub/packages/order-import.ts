import type { SamplePackage } from './sample-package.js';
import { driverConfig } from './drivers.js';
import { fixed, informational, open, specification } from './parts.js';
import { filePipeline } from './pipeline-config.js';
import { deployPlugin, pluginResources } from './plugin-parts.js';

const CHECK = {
  className: 'org.example.orders.CheckOrders',
  type: 'transform',
  name: 'CheckOrders',
  description: 'Hands on the orders that are complete.',
  passThrough: true,
};
const TOOLS = { name: 'example-order-tools', version: '2.0.1', plugins: [CHECK] };
const BATCH = { scope: 'system', name: 'cdap-data-pipeline', version: '6.11.0' };
const DRIVER_CONFIG = 'orders-driver.json';
const PIPELINE = 'order-import.json';

function actions(): object[] {
  const driver = { name: 'example-orders-driver', version: '1.0.0', scope: 'user', config: DRIVER_CONFIG };
  return [
    informational(
      'What you need',
      'The driver of the order database: the JAR of the package example-memory-driver will do.',
      'Give its path in the next step.',
      'Start the pipeline with the runtime arguments orders.input and orders.output.',
    ),
    { type: 'create_driver_artifact', label: 'Create the driver of the order database', arguments: fixed(driver) },
    deployPlugin('Deploy the order tools', TOOLS),
    {
      type: 'create_pipeline',
      label: 'Create the pipeline',
      arguments: [...fixed({ artifact: BATCH, config: PIPELINE }), open('name', 'OrderImport')],
    },
  ];
}

/**
 * A package of four actions that depend on each other: advice, driver, plugin and pipeline. The user brings the JAR of
 * the driver; the pipeline uses the plugin.
 */
export function orderImport(): SamplePackage {
  const spec = specification({
    label: 'Order Import',
    description:
      'Everything for a nightly import of orders: driver, plugin and pipeline.\nThe artifact of the plugin has a version of its own.',
    created: 1_718_409_600,
    categories: ['usecase', 'pipeline', 'example'],
    cdapVersion: '[6.11.0, 7.0.0-SNAPSHOT)',
    actions: actions(),
  });
  const artifact = { name: TOOLS.name, version: TOOLS.version, scope: 'USER' };
  const middle = { name: 'check', type: CHECK.type, plugin: CHECK.name, artifact };
  const resources = {
    [DRIVER_CONFIG]: driverConfig('example-orders', 'org.example.jdbc.MemoryDriver', 'Driver of the order database'),
    ...pluginResources(TOOLS),
    [PIPELINE]: filePipeline({ input: '${orders.input}', output: '${orders.output}', middle }),
  };
  return { name: 'example-order-import', version: '2.0.0', spec, resources };
}
