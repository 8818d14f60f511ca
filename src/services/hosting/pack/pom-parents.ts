import { readXml, type XmlElement } from './xml.js';

const PLUGIN = 'cdap-maven-plugin';
const PROPERTY = /\$\{([^${}]{1,200})\}/gu;
/** Where poms before that plugin have them, joined by commas. */
const LISTED = 'app.parents';
/** Bounded, and tried only where one may begin: a pom is not to be trusted. */
const EACH = /(?<![^,\])])[^,[\]()]{1,300}[[(][^[\]()]{0,300}[\])]/gu;
/** Characters of a parent, and of what a property puts into it. */
const LONGEST = 300;

const under = ({ children }: XmlElement, ...path: readonly string[]): readonly XmlElement[] => {
  const [name, ...rest] = path;
  if (name === undefined) return children;
  const found = children.filter((child) => child.name === name || name === '*');
  return rest.length === 0 ? found : found.flatMap((child) => under(child, ...rest));
};

const textAt = (element: XmlElement, ...path: readonly string[]): string | undefined =>
  under(element, ...path)[0]?.text.trim();

/**
 * The parents that a pom names. They are those of the Maven plugin which writes the config of an artifact
 * (`cdapArtifacts`), or of what did so before (`app.parents`); those with properties of other poms are left out.
 * Undefined when it is no XML, or has a document type.
 */
export function pomParents(pom: string): readonly string[] | undefined {
  const project = readXml(pom);
  if (project === undefined) return undefined;
  const values = propertiesOf(project);
  const plugins = [
    ...under(project, 'build', 'plugins', 'plugin'),
    ...under(project, 'build', 'pluginManagement', 'plugins', 'plugin'),
  ].filter((plugin) => textAt(plugin, 'artifactId') === PLUGIN);
  const given = plugins.flatMap((plugin) => [
    ...under(plugin, 'configuration', 'cdapArtifacts', '*'),
    ...under(plugin, 'executions', 'execution', 'configuration', 'cdapArtifacts', '*'),
  ]);
  const texts = given.length > 0 ? given.map(({ text }) => text) : (values.get(LISTED)?.match(EACH) ?? []);
  const parents = texts.map((text) => filled(text.trim(), values));
  return [...new Set(parents)].filter((parent) => parent !== '' && !parent.includes('${'));
}

/** A text with its properties; empty when it is too long for a parent. */
function filled(text: string, values: ReadonlyMap<string, string>): string {
  if (text.length > LONGEST) return '';
  const whole = text.replace(PROPERTY, (given, name: string) => {
    const value = values.get(name) ?? given;
    return value.length > LONGEST ? given : value;
  });
  return whole.length > LONGEST ? '' : whole;
}

function propertiesOf(project: XmlElement): ReadonlyMap<string, string> {
  const version = textAt(project, 'version') ?? textAt(project, 'parent', 'version');
  const own = under(project, 'properties', '*').map(({ name, text }) => [name, text.trim()] as const);
  return new Map([...(version === undefined ? [] : [['project.version', version] as const]), ...own]);
}
