import { ConstantPool, u2, u4 } from '../../../src/emulator/jar/constant-pool.js';
import { makeDriverClass, makePluginClass } from '../../../src/emulator/jar/make-class.js';
import { makeJar, type JarEntry } from '../../../src/emulator/jar/make-jar.js';

/** What a JAR of a plugin project has in it; all but the plugins may be missing. */
export interface PluginJar {
  /** Names of transforms. */
  readonly plugins?: readonly string[];
  readonly apiPackage?: string;
  readonly manifest?: Readonly<Record<string, string>>;
  /** Maven projects in it: artifact and version; the first has the pom. */
  readonly projects?: readonly (readonly [artifactId: string, version: string])[];
  readonly pom?: string;
  readonly entries?: readonly JarEntry[];
}

/** A file of text in a JAR. */
export const textEntry = (name: string, text: string): JarEntry => ({ name, bytes: Buffer.from(text) });

/** What Maven leaves in a JAR about a project. */
function mavenEntries(artifactId: string, version: string, pom?: string): readonly JarEntry[] {
  const folder = `META-INF/maven/org.example/${artifactId}`;
  const properties = `#made by Maven\nversion=${version}\ngroupId=org.example\nartifactId=${artifactId}\n`;
  return [
    textEntry(`${folder}/pom.properties`, properties),
    ...(pom === undefined ? [] : [textEntry(`${folder}/pom.xml`, pom)]),
  ];
}

/** A JAR as the build of a plugin project makes it. */
export function pluginJar({
  plugins = ['Trim'],
  apiPackage,
  manifest,
  projects,
  pom,
  entries = [],
}: PluginJar = {}): Buffer {
  const classes = plugins.map((name) => ({
    name: `org/example/plugin/${name}.class`,
    bytes: makePluginClass({
      className: `org.example.plugin.${name}`,
      type: 'transform',
      name,
      description: `The transform ${name}.`,
      ...(apiPackage !== undefined && { apiPackage }),
    }),
  }));
  const maven = (projects ?? [['acme-plugins', '1.2.0']]).flatMap(([artifactId, version], at) => [
    ...mavenEntries(artifactId, version, at === 0 ? pom : undefined),
  ]);
  return makeJar({
    manifest: {
      'Bundle-Version': '1.2.0',
      'Export-Package': 'org.example.other,org.example.plugin;version="1.2.0";uses:="a,b"',
      ...manifest,
    },
    entries: [...classes, ...maven, ...entries],
  });
}

/** A pom that gives parents to the Maven plugin of plugin projects. */
export const pomOf = (parents: readonly string[], more = ''): string => `<?xml version="1.0"?>
<!-- a <comment> -->
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><version>1.2.0</version></parent>
  <properties><cdap.range>[6.1.0,7.0.0-SNAPSHOT)</cdap.range>${more}</properties>
  <build><plugins>
    <plugin><artifactId>maven-bundle-plugin</artifactId><configuration a="1 > 0"/></plugin>
    <plugin><artifactId>cdap-maven-plugin</artifactId><configuration><cdapArtifacts>${parents
      .map((parent) => `<parent>${parent}</parent>`)
      .join('')}</cdapArtifacts></configuration></plugin>
  </plugins></build>
</project>
`;

/** A JDBC driver, registered as such; without a Maven project. */
export const driverJar = (...classNames: readonly string[]): Buffer =>
  makeJar({
    manifest: { 'Bundle-Version': '42.7.4', 'Bundle-Vendor': 'Example' },
    entries: [
      ...classNames.map((name) => ({ name: `${name.replaceAll('.', '/')}.class`, bytes: makeDriverClass(name) })),
      textEntry('META-INF/services/java.sql.Driver', `# drivers\n${classNames.join('\n')}\n`),
    ],
  });

/** An application of the project `shop` that takes a configuration of a class. */
export function configuredJar(config: string): Buffer {
  const pool = new ConstantPool();
  const base = 'io/cdap/cdap/api/app/AbstractApplication';
  const [own, parent] = [u2(pool.classRef('example/App')), u2(pool.classRef(base))];
  const signature = [u2(pool.utf8('Signature')), u4(2), u2(pool.utf8(`L${base}<L${config};>;`))];
  const rest = [u2(0x0021), own, parent, u2(0), u2(0), u2(0), u2(1), ...signature];
  const bytes = Buffer.concat([u4(0xcafebabe), u2(0), u2(52), pool.bytes(), ...rest]);
  const manifest = { 'Bundle-Version': '1.0.0', 'Main-Class': 'example.App' };
  return makeJar({ manifest, entries: [{ name: 'example/App.class', bytes }, ...mavenEntries('shop', '1.0.0')] });
}
