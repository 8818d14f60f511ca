import type { ErrorCode } from '../core/errors.js';
import { parseJsonText, type JsonNode } from '../core/json/text.js';
import { isRawObject, type RawObject } from './fields.js';
import type { PackageVersion } from './source.js';
import { MOST_ACTIONS } from './specification.js';

/** A specification that was read, and its text. Numbers in the place of text are copied as they are written there. */
export interface SpecificationText {
  readonly json: RawObject;
  readonly text: () => string;
}

/** Why the packager would not take a specification. */
export interface EntryFault {
  readonly code: Extract<ErrorCode, 'BAD_FIELD' | 'BAD_ACTION'>;
  readonly message: string;
}

/** The entry of a package in a catalog, with its members in their order. One with faults is for readers only. */
export interface PackageEntry {
  readonly raw: RawObject;
  readonly faults: readonly EntryFault[];
}

/** Most faults of actions that are told one by one. */
const MOST_FAULTS = 100;
/** How a time may be written as text. */
const DECIMAL = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)[fd]?\s*$/iu;

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;
const isText = (value: unknown): boolean => isAbsent(value) || typeof value !== 'object';
const isTruth = (value: unknown): boolean => isAbsent(value) || typeof value === 'boolean' || typeof value === 'string';

/**
 * The catalog entry that the packager makes of a specification (docs/hub-format.md 5.4). What it would not take is a
 * fault; a wrong member then stays as it is.
 */
export function packageEntry({ name, version }: PackageVersion, specification: SpecificationText): PackageEntry {
  const reader = new MemberReader(specification);
  const { json } = specification;
  const [beta, preview] = [reader.isTrue('beta'), reader.isTrue('preview')];
  const paidLink = reader.text('paidLink');
  const members: RawObject = {
    name,
    version,
    description: reader.text('description'),
    label: reader.text('label'),
    author: reader.text('author'),
    org: reader.text('org'),
    cdapVersion: reader.text('cdapVersion'),
    license: reader.text('license'),
    licenseInfo: reader.licenseInfo(),
    created: reader.created(),
    beta: beta || preview,
    categories: reader.categories(),
    paid: typeof paidLink === 'string' && paidLink !== '',
    paidLink,
  };
  if (isAbsent(json['label'])) reader.fault('label is missing');
  if (!isText(json['specVersion'])) reader.fault('specVersion is not text');
  reader.faults.push(...atMost(actionFaults(json['actions'])));
  const present = Object.entries(members).filter(([, value]) => !isAbsent(value));
  return { raw: Object.fromEntries(present), faults: reader.faults };
}

/** Reads members of a specification as the packager does, which takes more than it should. */
class MemberReader {
  readonly faults: EntryFault[] = [];
  readonly #specification: SpecificationText;
  #node: JsonNode | undefined;

  constructor(specification: SpecificationText) {
    this.#specification = specification;
  }

  fault(message: string): void {
    this.faults.push({ code: 'BAD_FIELD', message });
  }

  text(member: string): unknown {
    return this.#textAt(this.#member(member), [member]);
  }

  isTrue(member: string): boolean {
    const value = this.#member(member);
    if (!isTruth(value)) this.fault(`${member} is neither true nor false`);
    return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
  }

  /** Seconds; 0 when absent. */
  created(): unknown {
    const value = this.#member('created');
    if (isAbsent(value)) return 0;
    const written = typeof value === 'string' ? DECIMAL.exec(value)?.[1] : value;
    const seconds = typeof written === 'string' ? Number(written) : written;
    // 0 is added because the packager knows no -0.
    if (typeof seconds === 'number' && Number.isSafeInteger(seconds)) return seconds + 0;
    this.fault('created is not a whole number');
    return value;
  }

  licenseInfo(): unknown {
    const value = this.#member('licenseInfo');
    if (isAbsent(value)) return undefined;
    if (!isRawObject(value)) {
      this.fault('licenseInfo is not an object');
      return value;
    }
    const both = ['name', 'url'].map((part) => [part, this.#textAt(value[part], ['licenseInfo', part])] as const);
    return Object.fromEntries(both.filter(([, text]) => text !== undefined));
  }

  categories(): unknown {
    const value = this.#member('categories');
    if (isAbsent(value)) this.fault('categories is missing');
    else if (!Array.isArray(value)) this.fault('categories is not a list');
    if (!Array.isArray(value)) return value;
    if (value.some(isAbsent)) this.fault('categories has an element that is null');
    if (!value.every(isText)) {
      this.fault('categories has an element that is not text');
      return value;
    }
    return [...new Set(value.map((item: unknown, at) => this.#textAt(item, ['categories', at]) ?? item))];
  }

  #member(name: string): unknown {
    const { json } = this.#specification;
    return Object.hasOwn(json, name) ? json[name] : undefined;
  }

  #textAt(value: unknown, path: readonly (string | number)[]): unknown {
    if (isAbsent(value)) return undefined;
    if (typeof value === 'boolean') return String(value);
    if (typeof value === 'number') return this.#written(path);
    if (typeof value !== 'string') this.fault(`${path.join('.')} is not text`);
    return value;
  }

  /** A number as it is written. */
  #written(path: readonly (string | number)[]): string {
    const text = this.#specification.text();
    let node: JsonNode | undefined = (this.#node ??= parseJsonText(text, 'a specification'));
    for (const step of path) {
      if (node?.kind === 'object') node = node.members.get(String(step));
      else node = node?.kind === 'array' ? node.items[Number(step)] : undefined;
    }
    const number = text.slice(node?.start, node?.end);
    return number === '-0' ? '0' : number;
  }
}

function atMost(faults: readonly EntryFault[]): readonly EntryFault[] {
  if (faults.length <= MOST_FAULTS) return faults;
  const message = `${faults.length - MOST_FAULTS} more actions have errors`;
  return [...faults.slice(0, MOST_FAULTS), { code: 'BAD_ACTION', message }];
}

/** The packager looks at the types of actions only, but reads all of them. */
function actionFaults(actions: unknown): readonly EntryFault[] {
  if (isAbsent(actions)) return [{ code: 'BAD_FIELD', message: 'actions is missing' }];
  if (!Array.isArray(actions)) return [{ code: 'BAD_FIELD', message: 'actions is not a list' }];
  if (actions.length > MOST_ACTIONS)
    return [{ code: 'BAD_ACTION', message: `actions has more than ${MOST_ACTIONS} elements` }];
  return actions.flatMap((action: unknown, at) => {
    const problem = actionProblem(action);
    return problem === undefined ? [] : [{ code: 'BAD_ACTION' as const, message: `action ${at + 1} ${problem}` }];
  });
}

function actionProblem(action: unknown): string | undefined {
  if (!isRawObject(action)) return 'is not an object';
  const { type, label, arguments: given } = action;
  if (isAbsent(type) || type === '') return 'has no type';
  if (!isText(type)) return 'has a type that is not text';
  if (!isText(label)) return 'has a label that is not text';
  if (isAbsent(given)) return undefined;
  if (!Array.isArray(given)) return 'has arguments that are not a list';
  return given.map(argumentProblem).find((problem) => problem !== undefined);
}

function argumentProblem(argument: unknown, at: number): string | undefined {
  const which = `has an argument ${at + 1}`;
  if (isAbsent(argument)) return undefined;
  if (!isRawObject(argument)) return `${which} that is not an object`;
  if (!isText(argument['name'])) return `${which} with a name that is not text`;
  return isTruth(argument['canModify']) ? undefined : `${which} with canModify neither true nor false`;
}
