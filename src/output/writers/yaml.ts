import { escapedYaml, isPlain } from '../escape.js';

/**
 * A value as YAML, with characters that a terminal would obey written as escapes of the same value. The library is
 * loaded here only.
 */
export async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !isPlain(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapedYaml(document.toString({ lineWidth: 0 }));
}
