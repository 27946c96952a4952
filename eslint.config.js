// Lint rules: types are told the truth, nothing floats, and imports go one way (ARCHITECTURE.md has the map).
import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** A part of src may import only the parts that are named. */
const zone = (target, ...except) => ({
  target: `./src/${target}`,
  from: './src',
  except: except.map((path) => `./${path}`),
  message: `src/${target} may import only ${except.join(', ')}`,
});

export default tseslint.config(
  { ignores: ['dist/', 'dist.*/', 'coverage/', 'node_modules/', '**/.raymond/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      'import-x/no-cycle': 'error',
      'import-x/no-mutable-exports': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            zone('protocol', 'protocol'),
            zone('host', 'host'),
            zone('codec', 'codec', 'store', 'protocol', 'host'),
            zone('launcher', 'launcher', 'host'),
            zone('server', 'server', 'protocol', 'host'),
            zone('workflows', 'workflows', 'protocol', 'activities/types.ts', 'activities/record-types.ts'),
            zone('store', 'store', 'protocol', 'host'),
            zone(
              'history',
              'history',
              'store',
              'codec',
              'protocol',
              'activities/types.ts',
              'activities/record-types.ts',
              'workflows/contract.ts',
            ),
            zone('workspaces', 'workspaces', 'store', 'protocol', 'host'),
            zone('packages', 'packages', 'store', 'protocol', 'host'),
            zone('analysis', 'analysis', 'packages', 'protocol', 'host'),
            zone('backends', 'backends', 'store', 'protocol', 'host'),
            zone(
              'activities',
              'activities',
              'packages',
              'workspaces',
              'store',
              'backends',
              'history',
              'protocol',
              'launcher',
              'host',
              'codec/refused.ts',
              'codec/converter.ts',
            ),
            zone('telemetry', 'telemetry', 'activities', 'protocol'),
            zone(
              'testing',
              'testing',
              'analysis',
              'client',
              'server',
              'packages',
              'backends',
              'store',
              'codec',
              'history',
              'protocol',
              'host',
              'worker.ts',
              'activities/settings.ts',
              'activities/types.ts',
              'activities/watch.ts',
              'workflows/contract.ts',
            ),
            zone(
              'authoring',
              'authoring',
              'analysis',
              'history',
              'client',
              'packages',
              'project.ts',
              'protocol',
              'host',
            ),
            zone(
              'client',
              'client',
              'analysis',
              'history',
              'server',
              'project.ts',
              'local.ts',
              'packages',
              'workspaces',
              'store',
              'codec',
              'protocol',
              'host',
              'activities/types.ts',
              'activities/record-types.ts',
              'workflows/contract.ts',
              'workflows/ledger.ts',
              'workflows/summary.ts',
              'workflows/attributes.ts',
            ),
          ],
        },
      ],
      'max-lines': ['error', { max: 250 }],
      'max-lines-per-function': ['error', { max: 60 }],
      'max-params': ['error', 3],
    },
  },
  {
    files: ['src/**'],
    // Those are about this very process and its host: a child process of its own, and one server and one cache for all that run here.
    ignores: ['src/launcher/**', 'src/host/**', 'src/server/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['cwd', 'env', 'argv', 'exit', 'exitCode', 'stdin', 'stdout', 'stderr', 'on', 'once', 'off'].map(
          (property) => ({
            object: 'process',
            property,
            message: 'only bin/raymond.js knows the process; take it from what the caller gives (src/cli/io.ts)',
          }),
        ),
      ],
      'no-restricted-imports': ['error', { name: 'node:process', message: 'only bin/raymond.js knows the process' }],
    },
  },
  {
    files: ['src/protocol/**', 'src/workflows/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^node:|^(fs|path|os|crypto|child_process)$|^(zod|yaml|execa|smol-toml)$',
              message: 'not in deterministic code',
            },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'process', 'Buffer', 'setTimeout', 'setInterval', 'fetch', 'performance'],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
    },
  },
  {
    files: ['test/**'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        performance: 'readonly',
      },
    },
  },
);
