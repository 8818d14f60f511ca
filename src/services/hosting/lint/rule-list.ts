import { ARGUMENT_RULES } from './argument-rules.js';
import { ARTIFACT_RULES } from './artifact-rules.js';
import { CONFIG_RULES } from './config-rules.js';
import { DOCUMENT_RULES } from './document-rules.js';
import { LABEL_RULES } from './label-rules.js';
import { RANGE_RULES } from './range-rules.js';
import { REFUSED_RULES } from './refused-rules.js';
import { SPECIFICATION_RULES } from './specification-rules.js';
import type { Rule } from './rule.js';

/** Every rule, in the order in which they are listed. */
export const RULES: readonly Rule[] = [
  ...DOCUMENT_RULES,
  ...SPECIFICATION_RULES,
  ...ARGUMENT_RULES,
  ...REFUSED_RULES,
  ...LABEL_RULES,
  ...RANGE_RULES,
  ...CONFIG_RULES,
  ...ARTIFACT_RULES,
];
