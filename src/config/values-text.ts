import { CliError } from '../core/errors.js';

/**
 * What a values file in YAML or JSON says, numbers as they are written.
 * @throws USAGE with the line for any other text
 */
export async function parseValuesText(file: string, text: string): Promise<unknown> {
  const { parseDocument, visit } = await import('yaml');
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) {
    // A number keeps the text that was written: 1.0 is no 1.
    visit(document, {
      Scalar: (_, node) => {
        if (typeof node.value === 'number') node.value = node.source;
      },
    });
    return document.toJS();
  }
  const line = error.linePos === undefined ? '' : ` (line ${error.linePos[0].line})`;
  throw new CliError('USAGE', `the values file ${file} is neither YAML nor JSON${line}`, { target: { file } });
}
