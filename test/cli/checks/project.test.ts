// What `raymond doctor` makes of versions and free bytes.
import { expect, test } from '@jest/globals';
import { diskCheck, nodeCheck } from '../../../src/cli/checks/project.js';

test.each([
  ['20.15.0', 'ok'],
  ['20.9.1', 'failed'],
  ['18.20.0', 'failed'],
  ['22.1.0', 'ok'],
  ['20.15.1', 'ok'],
])('Node.js %s where 20.15 is needed: %s', (version, status) => {
  expect(nodeCheck('>=20.15', version)).toMatchObject({ status, detail: `${version} (needed: >=20.15)` });
});

const MIB = 1024 ** 2;

test.each([
  [10, 'failed', '10 MiB free in /d'],
  [50, 'warning', '50 MiB free in /d'],
  [1023, 'warning', '1023 MiB free in /d'],
  [1024, 'ok', '1.0 GiB free in /d'],
])('%i MiB of free disk: %s', (free, status, detail) => {
  expect(diskCheck('/d', free * MIB)).toMatchObject({ status, detail });
});
