import { CliError } from '../core/errors.js';

/**
 * What a values file in YAML or JSON says, numbers as they are written.
 * @throws USAGE with the line for any other text, or with the key that a map has twice
 */
export async function parseValuesText(file: string, text: string): Promise<unknown> {
  const { isScalar, parseDocument, visit } = await import('yaml');
  // YAML takes 1 and "1" for two keys, which are one member; so the keys are compared here.
  const document = parseDocument(text, { uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos === undefined ? '' : ` (line ${error.linePos[0].line})`;
    throw refuse(file, `is neither YAML nor JSON${line}`);
  }
  visit(document, {
    // A number keeps the text that was written: 1.0 is no 1.
    Scalar: (_, node) => {
      if (typeof node.value === 'number') node.value = node.source;
    },
  });
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = isScalar<string | boolean | null>(key) ? String(key.value ?? '') : undefined;
        if (name !== undefined && seen.size === seen.add(name).size)
          throw refuse(file, `has the key ${JSON.stringify(name)} twice`);
      }
    },
  });
  return document.toJS();
}

const refuse = (file: string, why: string): CliError =>
  new CliError('USAGE', `the values file ${file} ${why}`, { target: { file } });
