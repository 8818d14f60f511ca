import type { PluginOffer, PluginProperty } from '../plugins/available-plugins.js';
import type { StageFinding, PluginUse } from '../pipeline.js';

type Verdict = Pick<StageFinding, 'level' | 'reason'>;

// a backslash before it makes the platform take it as plain text
const MACRO = /(?<!\\)\$\{/u;
const CONNECTION = '${conn(';
/** The bits of whole numbers, by the platform's names of types. */
const BITS: Readonly<Record<string, number>> = { byte: 8, short: 16, int: 32, long: 64 };

/**
 * A value as the platform reads it. Undefined when it is none (null counts as none, an empty text does not: seen on
 * 6.11.0).
 */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isSet(use: PluginUse, name: string): boolean {
  return textOf(use.properties.get(name)) !== undefined;
}

/** The properties that have their values from a connection or another property that brings them along. */
function coveredBy(use: PluginUse, offers: readonly (PluginOffer | undefined)[]): ReadonlySet<string> {
  const holders = offers.flatMap((offer) => [...(offer?.properties ?? [])]).filter(([name]) => isSet(use, name));
  return new Set(holders.flatMap(([, { children }]) => children));
}

/** Whether a connection is used of which neither version says what it brings. */
function hasUnknownConnection(use: PluginUse, covered: ReadonlySet<string>): boolean {
  return covered.size === 0 && [...use.properties.values()].some((value) => textOf(value)?.includes(CONNECTION));
}

function judgeMissing(name: string, before: PluginOffer | undefined): Verdict {
  const old = before?.properties.get(name);
  const quoted = JSON.stringify(name);
  if (before === undefined) return { level: 'blocked', reason: `required property ${quoted} has no value` };
  if (old === undefined) return { level: 'blocked', reason: `new required property ${quoted} has no value` };
  if (!old.required) return { level: 'blocked', reason: `property ${quoted} is now required and has no value` };
  return { level: 'risky', reason: `required property ${quoted} has no value, as before` };
}

function missing(use: PluginUse, chosen: PluginOffer, before: PluginOffer | undefined): readonly StageFinding[] {
  const covered = coveredBy(use, [chosen, before]);
  const isUnknown = hasUnknownConnection(use, covered);
  const { stage, plugin } = use;
  return [...chosen.properties]
    .filter(([name, { required }]) => required && !isSet(use, name) && !covered.has(name))
    .filter(([, { children }]) => !children.some((child) => chosen.properties.has(child) || isSet(use, child)))
    .map(([property]) => {
      const { level, reason } = judgeMissing(property, before);
      if (!isUnknown) return { level, stage, plugin, property, reason };
      return { level: 'risky', stage, plugin, property, reason: `${reason}, unless its connection provides one` };
    });
}

function isWhole(text: string, bits: number): boolean {
  const [, digits] = /^([+-]?\d{1,30})(?:\.0+)?$/u.exec(text) ?? [];
  if (digits === undefined) return false;
  const value = BigInt(digits.replace('+', ''));
  return BigInt.asIntN(bits, value) === value;
}

/**
 * Whether the platform reads a text as a value of a property's type without loss, as seen on 6.11.0. `5.0` is a whole
 * number; blanks and exponents are not. Anything fits an unknown type.
 */
export function fitsType(type: string, text: string): boolean {
  const bits = BITS[type];
  if (bits !== undefined) return isWhole(text, bits);
  if (type === 'boolean') return /^(?:true|false|)$/iu.test(text);
  if (type === 'char') return text.length === 1;
  if (type !== 'float' && type !== 'double') return true;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[df]?$/iu.test(text) || /^[+-]?(?:NaN|Infinity)$/u.test(text);
}

function judgeValue(
  name: string,
  text: string,
  property: PluginProperty,
  old: PluginProperty | undefined,
): Verdict | undefined {
  if (MACRO.test(text)) {
    if (property.macroSupported) return undefined;
    if (old?.macroSupported === true)
      return { level: 'blocked', reason: `property ${name} no longer allows macros, and its value has one` };
    if (old === undefined)
      return { level: 'risky', reason: `property ${name} does not allow macros, and its value looks like one` };
  }
  if (property.type === old?.type || fitsType(property.type, text)) return undefined;
  if (old !== undefined)
    return { level: 'blocked', reason: `property ${name} is now of type ${property.type}; its value is not` };
  // the platform reads any text as a boolean, what is not "true" as false; a number that is none it refuses (seen on 6.11.0)
  const level = property.type === 'boolean' ? 'risky' : 'blocked';
  return { level, reason: `property ${name} is of type ${property.type}; its value is not` };
}

function judgeProperty(name: string, text: string, chosen: PluginOffer, before: PluginOffer | undefined) {
  const property = chosen.properties.get(name);
  const old = before?.properties.get(name);
  const quoted = JSON.stringify(name);
  if (property !== undefined) return judgeValue(quoted, text, property, old);
  const wasIgnored = before !== undefined && old === undefined;
  if (text === '' || wasIgnored) return undefined;
  const { name: artifact, version } = chosen.artifact;
  return {
    level: 'risky',
    reason: `property ${quoted} is unknown in ${artifact} ${version} and is ignored`,
  } as const;
}

/**
 * Finds what a plugin's change to the chosen offer does to the properties that a pipeline sets. Nothing for a plugin
 * that stays. Without the former offer, new properties cannot be told. Values are not quoted, as they can be secrets.
 */
export function checkUse(
  use: PluginUse,
  chosen: PluginOffer,
  before: PluginOffer | undefined,
): readonly StageFinding[] {
  if (use.artifact?.version === chosen.artifact.version) return [];
  const { stage, plugin } = use;
  const found = [...use.properties].flatMap(([property, value]) => {
    const text = textOf(value);
    const verdict = text === undefined ? undefined : judgeProperty(property, text, chosen, before);
    return verdict === undefined ? [] : [{ ...verdict, stage, plugin, property }];
  });
  return [...missing(use, chosen, before), ...found];
}
