import { describe } from 'vitest';
import { testExamples } from '../support/help-examples.js';

describe('the examples of the help', () => {
  testExamples(0);
});
