import { refuse } from '../http/answers.js';
import { readClassFile, type Annotation, type ClassFile } from './class-file.js';
import type { Generation } from '../store/generation.js';
import type { ApplicationClass, PluginClass, PluginProperty, Program } from '../store/model.js';
import type { ZipFile } from './zip.js';

const PROGRAM_CLASSES: Readonly<Record<string, string>> = {
  'api/service/AbstractService': 'Service',
  'api/workflow/AbstractWorkflow': 'Workflow',
  'api/worker/AbstractWorker': 'Worker',
  'api/spark/AbstractSpark': 'Spark',
  'api/mapreduce/AbstractMapReduce': 'MapReduce',
};
const JAVA_TYPES: Readonly<Record<string, string>> = {
  I: 'int',
  J: 'long',
  Z: 'boolean',
  D: 'double',
  F: 'float',
  C: 'char',
  'Ljava/lang/String;': 'string',
  'Ljava/lang/Integer;': 'int',
  'Ljava/lang/Long;': 'long',
  'Ljava/lang/Boolean;': 'boolean',
  'Ljava/lang/Double;': 'double',
};

/** An attribute of the JAR's manifest; continuation lines are joined. */
export function manifestAttribute(jar: ZipFile, name: string): string | undefined {
  const manifest = jar
    .read('META-INF/MANIFEST.MF')
    ?.toString('utf8')
    .replace(/\r?\n /gu, '');
  const line = manifest?.split(/\r?\n/u).find((entry) => entry.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim();
}

/** Whether the JAR holds the class; the name has dots. */
export function hasClass(jar: ZipFile, className: string): boolean {
  return jar.names.includes(classPath(className));
}

/**
 * Finds the plugins of a JAR as the platform does: annotated classes in exported packages. The manifest exports
 * packages; without `Export-Package` there are no plugins. Refuses with 400 when such a class needs a class of a parent
 * and the artifact extends nothing.
 */
export function findPlugins(jar: ZipFile, extendsParent: boolean, { api }: Generation): PluginClass[] {
  const exported = exportedPackages(manifestAttribute(jar, 'Export-Package') ?? '');
  const candidates = jar.names.filter((name) => name.endsWith('.class') && exported.has(packageOf(name)));
  return candidates.flatMap((name) => {
    const found = readClass(jar, name);
    const plugin = found?.annotations.find(({ type }) => type === `L${api}/api/annotation/Plugin;`);
    if (found === undefined || plugin === undefined) return [];
    if (!extendsParent && found.superName.startsWith(`${api}/etl/`)) refuse(400, missingClass(found.superName));
    return [describe(jar, found, plugin)];
  });
}

/**
 * The application of a JAR: its main class, when that extends the platform's class for applications. Programs are the
 * classes that extend one of the platform's classes for programs; each has the name of its class, as on the platform
 * when the code sets none. Refuses with 404 when the main class extends a class of another generation, and with 400
 * when the JAR does not have it; `id` names the artifact in that sentence.
 */
export function findApplication(jar: ZipFile, id: string, { api, otherApi }: Generation): ApplicationClass | undefined {
  const main = manifestAttribute(jar, 'Main-Class');
  if (main === undefined) return undefined;
  const found = readClass(jar, classPath(main));
  if (found === undefined) refuse(400, `Could not find Application main class ${main} in artifact ${id}.`);
  if (found.superName.startsWith(`${otherApi}/`)) refuse(404, found.superName.replaceAll('/', '.'));
  if (found.superName !== `${api}/api/app/AbstractApplication`) return undefined;
  return { className: main, description: '', programs: findPrograms(jar, api) };
}

function findPrograms(jar: ZipFile, api: string): Program[] {
  const classes = jar.names.filter((name) => name.endsWith('.class')).map((name) => readClass(jar, name));
  return classes.flatMap((found) => {
    const type = Object.entries(PROGRAM_CLASSES).find(([name]) => found?.superName === `${api}/${name}`)?.[1];
    if (found === undefined || type === undefined) return [];
    return [{ type, name: found.name.slice(found.name.lastIndexOf('/') + 1), description: '' }];
  });
}

function missingClass(name: string): string {
  return (
    'Class could not be found while inspecting artifact for plugins. Please check dependencies are available, and that the correct ' +
    `parent artifact was specified. Error class: class java.lang.NoClassDefFoundError, message: ${name}.`
  );
}

function describe(jar: ZipFile, found: ClassFile, plugin: Annotation): PluginClass {
  const className = found.name.replaceAll('/', '.');
  const config = configurationOf(jar, found);
  return {
    type: plugin.members['type'] ?? 'plugin',
    name: memberOf(found.annotations, 'Name')?.members['value'] ?? className,
    description: memberOf(found.annotations, 'Description')?.members['value'] ?? '',
    className,
    ...(config === undefined ? {} : { configFieldName: config.field }),
    properties: config?.properties ?? {},
    requirements: { datasetTypes: [], capabilities: [] },
  };
}

/** The field whose class extends `PluginConfig`, or one of the classes of the JAR that do. */
function configurationOf(
  jar: ZipFile,
  found: ClassFile,
): { field: string; properties: Record<string, PluginProperty> } | undefined {
  for (const field of found.fields) {
    const config = readClass(jar, `${field.descriptor.slice(1, -1)}.class`);
    if (config?.superName.endsWith('/PluginConfig') !== true) continue;
    const properties = config.fields.map(propertyOf).map((property) => [property.name, property] as const);
    return { field: field.name, properties: Object.fromEntries(properties) };
  }
  return undefined;
}

function propertyOf(field: ClassFile['fields'][number]): PluginProperty {
  return {
    name: memberOf(field.annotations, 'Name')?.members['value'] ?? field.name,
    description: memberOf(field.annotations, 'Description')?.members['value'] ?? '',
    type: JAVA_TYPES[field.descriptor] ?? 'string',
    required: !field.annotations.some((entry) => entry.type === 'Ljavax/annotation/Nullable;'),
    macroSupported: memberOf(field.annotations, 'Macro') !== undefined,
    macroEscapingEnabled: false,
    children: [],
  };
}

function memberOf(annotations: readonly Annotation[], name: string): Annotation | undefined {
  return annotations.find(({ type }) => type.endsWith(`/api/annotation/${name};`));
}

function readClass(jar: ZipFile, path: string): ClassFile | undefined {
  const bytes = jar.read(path);
  return bytes === undefined ? undefined : readClassFile(bytes);
}

function exportedPackages(attribute: string): Set<string> {
  const clauses = attribute.replace(/"[^"]*"/gu, '').split(',');
  return new Set(clauses.map((clause) => (clause.split(';')[0] ?? '').trim().replaceAll('.', '/')));
}

function packageOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function classPath(className: string): string {
  return `${className.replaceAll('.', '/')}.class`;
}
