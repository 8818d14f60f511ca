import { parseVersion } from '../../../core/version.js';
import { shapeOf } from '../../../hub/action-types.js';
import { brief } from '../../../hub/fields.js';
import type { Found } from './finding.js';
import { MAKES_ARTIFACT, specOf, textAt, type LintedAction, type LintedPackage, type Rule } from './rule.js';

const atValue = (one: LintedPackage, { values }: LintedAction, name: string, message: string): Found => ({
  file: specOf(one),
  at: one.specification?.at(values.get(name)?.path ?? []),
  message,
});

function* badValues(one: LintedPackage): Generator<Found> {
  for (const action of one.actions.filter(({ type }) => MAKES_ARTIFACT.test(type))) {
    const [version, scope] = [textAt(action, 'version'), textAt(action, 'scope')];
    if (version !== undefined && parseVersion(version) === undefined)
      yield atValue(one, action, 'version', `the platform does not accept the artifact version ${brief(version)}`);
    if (scope !== undefined && scope.toLowerCase() !== 'user')
      yield atValue(one, action, 'scope', `the scope is ${brief(scope)}; only "user" can be installed`);
  }
}

function* unknownNames(one: LintedPackage): Generator<Found> {
  for (const action of one.actions) {
    const shape = shapeOf(action.type);
    // What shows text shows its first argument, whatever its name.
    if (shape === undefined || shape.textOnly === true) continue;
    const known = new Set(shape.arguments.map(({ name }) => name));
    for (const name of action.values.keys())
      if (!known.has(name))
        yield atValue(one, action, name, `${action.type} has no argument ${brief(name)}; it is ignored`);
  }
}

/** Rules for the arguments of actions that go beyond their types. */
export const ARGUMENT_RULES: readonly Rule[] = [
  {
    id: 'ARG_VALUE',
    severity: 'warning',
    summary: 'the version or scope of an artifact cannot be installed',
    check: badValues,
  },
  { id: 'ARG_UNKNOWN', severity: 'warning', summary: 'an action has an unknown argument', check: unknownNames },
];
