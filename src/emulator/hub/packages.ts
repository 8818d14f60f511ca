import { pipelinePackages } from './packages/pipelines.js';
import { driverPackages } from './packages/drivers.js';
import { oddPackages } from './packages/oddities.js';
import { orderImport } from './packages/order-import.js';
import { pluginPackages } from './packages/plugins.js';
import { streamPackages } from './packages/streams.js';
import type { SamplePackage } from './packages/sample-package.js';

/** Our own packages, which together show what a client meets in a hub. Their JARs are made anew by each call. */
export function samplePackages(): SamplePackage[] {
  return [
    ...pluginPackages(),
    ...driverPackages(),
    ...pipelinePackages(),
    orderImport(),
    ...oddPackages(),
    ...streamPackages(),
  ];
}
