// Jest in ESM (execa is ESM only) with swc; tests run against src/, the CLI tests against dist/.
export default {
  testEnvironment: '<rootDir>/test/support/node-environment.mjs',
  // Jest wraps the globals of a test file that has ended; a late write to one of them then calls itself without end.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '/dist/.+\\.js$': '<rootDir>/test/support/dist-transform.mjs',
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/servers-setup.mjs',
  globalTeardown: '<rootDir>/test/support/servers-teardown.mjs',
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  testTimeout: 120_000,
  // Twice the processors of a CI machine: a test waits for about half of its time.
  maxWorkers: 4,
  // What a test file leaves in a worker's memory makes every later one slower: at 2 GB five times. But Jest may lose the
  // next file when it replaces a worker, and then waits for it for ever (seen once): it replaces few, and scripts/test/jest.mjs watches it.
  workerIdleMemoryLimit: '1GB',
};
