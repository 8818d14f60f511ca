import { isRawObject, brief, readPackageFields } from '../../../hub/fields.js';
import { shapeOf, type ArgumentShape, type ValueType } from '../../../hub/action-types.js';
import { PLACEHOLDERS } from '../init/init-tree.js';
import { nameClash } from '../tree/name-clash.js';
import type { Found, Path } from './finding.js';
import { specOf, type LintedPackage, type Rule } from './rule.js';

const MEMBERS = { label: 'text', actions: 'a list', categories: 'a list of texts', created: 'a whole number' } as const;
const NAMES = ['label', 'actions', 'categories', 'created'] as const;
/** Other members that have a type. */
const REFUSABLE = [
  'description',
  'author',
  'org',
  'cdapVersion',
  'beta',
  'preview',
  'paid',
  'paidLink',
  'license',
  'licenseInfo',
] as const;
const YEAR_2000 = 946_684_800;
const MILLISECONDS_ABOVE = 1e11;
/** Files that no action names. */
const KNOWN = /^(?:spec\.json|icon\.png|license\.txt)$|\.asc$/u;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Something in the specification, at a value of it. */
const found = (one: LintedPackage, path: Path, message: string): Found => ({
  file: specOf(one),
  at: one.specification?.at(path),
  message,
});

/** The members of a specification that can be read; empty otherwise. */
function* members(one: LintedPackage): Generator<readonly [keyof typeof MEMBERS, unknown]> {
  const { specification } = one;
  if (specification === undefined || specification.problem !== undefined) return;
  for (const name of NAMES) yield [name, specification.json[name]];
}

function isOfType(name: keyof typeof MEMBERS, value: unknown): boolean {
  if (name === 'label') return typeof value === 'string' && value !== '';
  if (name === 'created') return typeof value === 'number' && Number.isSafeInteger(value);
  return Array.isArray(value) && (name === 'actions' || value.every((item) => typeof item === 'string'));
}

function* missing(one: LintedPackage): Generator<Found> {
  for (const [name, value] of members(one)) if (isAbsent(value)) yield found(one, [], `${name} is missing`);
  for (const [index, action] of listOf(one).entries())
    if (isRawObject(action) && isAbsent(action['type']))
      yield found(one, ['actions', index], `action ${index + 1} has no type`);
}

function* wrongType(one: LintedPackage): Generator<Found> {
  for (const [name, value] of members(one))
    if (!isAbsent(value) && !isOfType(name, value)) yield found(one, [name], `${name} is not ${MEMBERS[name]}`);
  yield* refusedMembers(one);
  for (const [index, action] of listOf(one).entries()) {
    const isFine = isRawObject(action) && (isAbsent(action['type']) || typeof action['type'] === 'string');
    if (!isFine) yield found(one, ['actions', index], `action ${index + 1} is not an object with a type`);
  }
}

/** Members that an installation refuses, in its own words. */
function* refusedMembers(one: LintedPackage): Generator<Found> {
  for (const name of REFUSABLE) {
    const messages: string[] = [];
    readPackageFields({ [name]: one.specification?.json[name] }, (severity, code, message) => {
      // The text of a range has a rule of its own.
      if (severity === 'warning' && code === 'BAD_FIELD') messages.push(message);
    });
    for (const message of messages) yield found(one, [name], message);
  }
}

const listOf = ({ specification }: LintedPackage): readonly unknown[] => {
  const actions = specification?.json['actions'];
  return Array.isArray(actions) ? actions : [];
};

/** Whether users are asked for a text: an empty one is none. Rules for files tell of their empty names. */
const isOpen = (value: unknown, { resource }: Pick<ArgumentShape, 'resource'>): boolean =>
  isAbsent(value) || (resource === 'none' && value === '');

function isOf(type: ValueType, value: unknown): boolean {
  if (type === 'text') return typeof value === 'string' || typeof value === 'number';
  if (type === 'artifact') return isRawObject(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function* absentArguments(one: LintedPackage, isAsked: boolean): Generator<Found> {
  for (const { n, type, path, values } of one.actions) {
    const shape = shapeOf(type);
    for (const { name, required, resource } of shape?.arguments ?? []) {
      const asks = shape?.asks.includes(name) === true;
      if (!isOpen(values.get(name)?.value, { resource }) || asks !== isAsked || (!asks && !required)) continue;
      const outcome = asks ? 'users must provide it' : `${type} requires it`;
      yield found(one, path, `action ${n} has no argument ${name}; ${outcome}`);
    }
  }
}

function* argumentTypes(one: LintedPackage): Generator<Found> {
  for (const { n, type, values } of one.actions)
    for (const shape of shapeOf(type)?.arguments ?? []) {
      const given = values.get(shape.name);
      if (given === undefined || isAbsent(given.value) || isOf(shape.type, given.value)) continue;
      yield found(one, given.path, `${shape.name} of action ${n} has the wrong type`);
    }
}

/** The files that actions and the license name, with the place of each. */
function* references(
  one: LintedPackage,
): Generator<{ readonly name: string; readonly path: () => Path; readonly n: number }> {
  const license = one.specification?.json['license'];
  if (typeof license === 'string') yield { name: license, path: () => ['license'], n: 0 };
  for (const { n, type, values } of one.actions)
    for (const { name, resource } of shapeOf(type)?.arguments ?? []) {
      const given = resource === 'none' ? undefined : values.get(name);
      const list: readonly unknown[] = Array.isArray(given?.value) ? given.value : [given?.value];
      for (const [at, value] of list.entries())
        if (given !== undefined && typeof value === 'string')
          yield { name: value, path: () => (Array.isArray(given.value) ? [...given.path, at] : given.path), n };
    }
}

function* missingFiles(one: LintedPackage): Generator<Found> {
  const files = new Set(one.files);
  for (const { name, path, n } of references(one)) {
    if (files.has(name)) continue;
    const where = n === 0 ? 'the license' : `resource ${brief(name)} of action ${n}`;
    yield found(one, path(), `${where} does not exist`);
  }
}

function* clashes(one: LintedPackage): Generator<Found> {
  for (const { name, path, n } of references(one)) {
    const clash = n === 0 ? undefined : nameClash(name, one.files);
    if (clash !== undefined) yield found(one, path(), `action ${n} uses ${brief(name)}, which ${clash}`);
  }
}

function unusedFiles(one: LintedPackage): readonly Found[] {
  if (one.specification === undefined || one.specification.problem !== undefined) return [];
  const unused = new Set(one.files.filter((name) => !KNOWN.test(name)));
  for (const { name } of references(one)) unused.delete(name);
  return [...unused].map((name) => ({ file: `${one.folder}/${name}`, message: 'no action uses it' }));
}

function created(one: LintedPackage): readonly Found[] {
  const value = one.specification?.json['created'];
  if (typeof value !== 'number' || !isOfType('created', value)) return [];
  if (value < YEAR_2000) return [found(one, ['created'], 'created is before the year 2000')];
  if (value <= MILLISECONDS_ABOVE) return [];
  const place = one.specification?.place(['created']);
  const fix = place && { ...place, text: String(Math.floor(value / 1000)) };
  return [{ ...found(one, ['created'], 'created is in milliseconds, not seconds'), fix }];
}

function* placeholders(one: LintedPackage): Generator<Found> {
  for (const [name, text] of Object.entries(PLACEHOLDERS))
    if (one.specification?.json[name] === text)
      yield found(one, [name], `${name} still has the sample text: replace it, or remove the package`);
}

/** Rules for members and actions of a specification. */
export const SPECIFICATION_RULES: readonly Rule[] = [
  { id: 'MEMBER_MISSING', severity: 'error', summary: 'a required member is missing', check: missing },
  { id: 'MEMBER_TYPE', severity: 'error', summary: 'a member has the wrong type', check: wrongType },
  {
    id: 'ACTION_TYPE',
    severity: 'error',
    summary: 'an action has an unknown type',
    check: (one) =>
      one.actions
        .filter(({ type }) => shapeOf(type) === undefined)
        .map(({ n, type, path }) => found(one, [...path, 'type'], `action ${n} has the unknown type ${brief(type)}`)),
  },
  {
    id: 'ARG_MISSING',
    severity: 'error',
    summary: 'a required argument is missing',
    check: (one) => absentArguments(one, false),
  },
  { id: 'ARG_TYPE', severity: 'error', summary: 'an argument has the wrong type', check: argumentTypes },
  {
    id: 'INPUT_ASKED',
    severity: 'warning',
    summary: 'a JAR or name is missing, so users must provide it',
    check: (one) => absentArguments(one, true),
  },
  {
    id: 'REF_MISSING',
    severity: 'error',
    summary: 'a file that an action or the license names does not exist',
    check: missingFiles,
  },
  {
    id: 'BAD_NAME',
    severity: 'error',
    summary: 'an action uses the specification, a signature or a file that is never signed',
    check: clashes,
  },
  { id: 'REF_UNUSED', severity: 'warning', summary: 'a file is not used by any action', check: unusedFiles },
  {
    id: 'CREATED_RANGE',
    severity: 'warning',
    summary: 'created is in milliseconds or before the year 2000',
    check: created,
  },
  {
    id: 'PLACEHOLDER',
    severity: 'warning',
    summary: 'a sample text of a new package was not replaced',
    check: placeholders,
  },
  {
    id: 'LICENSE_UNNAMED',
    severity: 'warning',
    summary: 'license.txt exists, but the specification does not name it',
    check: (one) =>
      one.files.includes('license.txt') &&
      one.specification !== undefined &&
      isAbsent(one.specification.json['license'])
        ? [{ file: `${one.folder}/license.txt`, message: 'the specification does not name it, so users do not see it' }]
        : [],
  },
];
