import { expect, it } from 'vitest';
import { putApplication } from '../../../src/platform/apps.js';
import { uploadArtifact } from '../../../src/platform/artifacts.js';

it.each([
  ['an upload', uploadArtifact],
  ['a deploy', putApplication],
] as const)('P15: %s has 15 minutes, because the platform works before it answers', (_, { headersTimeout }) => {
  expect(headersTimeout).toBe(15 * 60 * 1000);
});
