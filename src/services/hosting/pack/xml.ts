/** An element of an XML document: its name without a prefix, and the text directly in it. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface OpenElement {
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

const DEEPEST = 100;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
/** What begins with a `<`: comment, section of text, instruction, or tag. A name ends where it must, not sooner. */
const PIECE =
  /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<\?[^]*?\?>|<(\/?)([^\s/>!?"'<]+)(?=[\s/>])((?:"[^"]*"|'[^']*'|[^"'<>])*)>/uy;

/**
 * Reads a small XML document for its elements; attributes are passed over. There are no entities but those that XML
 * itself has, because a document type is refused. Undefined when it is not such a document.
 */
export function readXml(source: string): XmlElement | undefined {
  const top: OpenElement = { name: '', text: '', children: [] };
  const open = [top];
  const pieces = new RegExp(PIECE);
  let at = 0;
  for (let next = source.indexOf('<'); next >= 0; next = source.indexOf('<', at)) {
    const current = open.at(-1) ?? top;
    current.text += unescaped(source.slice(at, next));
    pieces.lastIndex = next;
    const [piece, section, slash, qualified, rest] = pieces.exec(source) ?? [];
    if (piece === undefined) return undefined;
    at = next + piece.length;
    if (section !== undefined) current.text += section;
    if (qualified === undefined) continue;
    const name = qualified.replace(/^.*:/u, '');
    if (slash === '/') {
      if (open.length === 1 || current.name !== name) return undefined;
      open.pop();
      continue;
    }
    const element: OpenElement = { name, text: '', children: [] };
    current.children.push(element);
    if (rest?.endsWith('/') !== true) open.push(element);
    if (open.length > DEEPEST) return undefined;
  }
  const [root, more] = top.children;
  return open.length > 1 || more !== undefined ? undefined : root;
}

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/giu, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return NAMED.get(name) ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
