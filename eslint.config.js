import js from '@eslint/js';
import jsdoc from 'eslint-plugin-jsdoc';
import tseslint from 'typescript-eslint';

const effects = [
  { object: 'Date', property: 'now', message: 'take a Clock' },
  { object: 'Math', property: 'random', message: 'take random ids from the composition root' },
];
const parsing = { object: 'JSON', property: 'parse', message: 'one place per boundary parses JSON' };
const signals = ['any', 'timeout'].map((property) => ({
  object: 'AbortSignal',
  property,
  message: 'joinSignals (core/join-signals.ts): these can be collected before they fire',
}));
const noEffects = ['error', ...effects, ...signals];

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'coverage', 'test/fixtures', '.cache'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    plugins: { jsdoc },
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/ban-ts-comment': 'error',
      // Nothing here can declare an enum (`erasableSyntaxOnly`), and this rule alone took a third of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      'no-control-regex': 'off',
      'max-lines': ['error', { max: 250, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'zod', message: "import * as z from 'zod/mini'" },
            { name: 'undici', message: 'import the file that is needed (docs/decisions/006-two-transports.md)' },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: true,
          contexts: [
            'TSInterfaceDeclaration',
            'TSTypeAliasDeclaration',
            'ExportNamedDeclaration > VariableDeclaration',
            'FunctionDeclaration',
            'ClassDeclaration',
          ],
        },
      ],
      'jsdoc/no-undefined-types': 'off',
      'no-console': 'error',
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'use a Transport' },
        { name: 'setTimeout', message: 'take a Clock' },
        { name: 'process', message: 'only cli and main know the process' },
      ],
      'no-restricted-properties': [...noEffects, parsing],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Math'] > SpreadElement",
          message: 'largestOf, smallestOf (core/extremes.ts): many numbers overflow the stack',
        },
      ],
      'no-restricted-exports': [
        'error',
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
    },
  },
  { files: ['src/commands/**/*.ts'], rules: { 'no-restricted-exports': 'off', 'jsdoc/require-jsdoc': 'off' } },
  {
    files: ['src/cli/**/*.ts', 'src/main.ts', 'src/http/**/*.ts', 'src/emulator/**/*.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    files: ['src/http/path.ts', 'src/http/answers.ts'],
    rules: { '@typescript-eslint/consistent-type-assertions': 'off' },
  },
  {
    files: [
      'src/http/answers.ts',
      'src/core/json/text.ts',
      'src/core/json/json.ts',
      'src/core/json/same.ts',
      'src/state/**/*.ts',
      'src/config/**/*.ts',
      'src/emulator/**/*.ts',
    ],
    rules: { 'no-restricted-properties': noEffects },
  },
  {
    files: ['src/cli/clock.ts', 'src/emulator/**/*.ts'],
    rules: { 'no-restricted-properties': ['error', ...signals], 'no-restricted-globals': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/consistent-type-assertions': 'off',
      // Tests put objects of their own in the place of classes, and the rule took a tenth of the time.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'no-restricted-imports': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='vi'][callee.property.name='mock']",
          message: 'own modules are not mocked',
        },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        require: 'readonly',
        setImmediate: 'readonly',
      },
    },
  },
);
