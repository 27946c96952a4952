// Which cluster is meant: flags over environment over profile over configuration, and the embedded server when nobody names one.
import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { ClientError } from '../../src/client/error.js';
import { clusterTarget, type ClusterOptions } from '../../src/client/target.js';
import { folder } from '../support/folder.js';

const PROFILES = `[profile.default]
namespace = "of-default"
[profile.prod]
address = "profile:7233"
namespace = "of-prod"
`;
const FLAGS = { address: 'flag:1', namespace: 'of-flag' };
const ENVIRONMENT = { TEMPORAL_ADDRESS: 'env:1', TEMPORAL_NAMESPACE: 'of-env' };
const FALLBACK = { fallback: { address: 'config:1', namespace: 'of-config' } };

async function targetOf(wish: ClusterOptions, environment: NodeJS.ProcessEnv = {}, profiles = PROFILES) {
  const home = await folder({ 'temporal.toml': profiles });
  const target = clusterTarget(wish, { TEMPORAL_CONFIG_FILE: join(home, 'temporal.toml'), ...environment });
  return target === undefined ? undefined : { address: target.address, namespace: target.namespace };
}

interface Case {
  readonly by: string;
  readonly wish: ClusterOptions;
  readonly environment?: NodeJS.ProcessEnv;
  readonly target: { readonly address: string; readonly namespace: string } | undefined;
}
const EMPTY = { TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: '' };
const OF_PROD = { address: 'profile:7233', namespace: 'of-prod' };
const OF_CONFIG = { address: 'config:1', namespace: 'of-default' };
const CASES: readonly Case[] = [
  { by: 'flags', wish: { ...FLAGS, ...FALLBACK, profile: 'prod' }, environment: ENVIRONMENT, target: FLAGS },
  {
    by: 'the environment',
    wish: { ...FALLBACK, profile: 'prod' },
    environment: ENVIRONMENT,
    target: { address: 'env:1', namespace: 'of-env' },
  },
  { by: 'a profile', wish: { ...FALLBACK, profile: 'prod' }, target: OF_PROD },
  { by: 'a profile of the environment', wish: FALLBACK, environment: { TEMPORAL_PROFILE: 'prod' }, target: OF_PROD },
  { by: 'the configuration', wish: FALLBACK, target: OF_CONFIG },
  { by: 'nobody, when nobody names one', wish: {}, target: undefined },
  { by: 'nobody, when variables are empty', wish: {}, environment: EMPTY, target: undefined },
  { by: 'the configuration, when variables are empty', wish: FALLBACK, environment: EMPTY, target: OF_CONFIG },
];

test.each(CASES)('a cluster is named by $by', async ({ wish, environment, target }) => {
  expect(await targetOf(wish, environment)).toEqual(target);
});

test('an address without a namespace means the namespace "default"', async () => {
  expect(await targetOf({ address: 'flag:1' }, {}, '[profile.default]\n')).toEqual({
    address: 'flag:1',
    namespace: 'default',
  });
});

test('a profile that does not exist is refused, and named', async () => {
  const refusal = targetOf({ profile: 'nowhere' });
  await expect(refusal).rejects.toBeInstanceOf(ClientError);
  await expect(refusal).rejects.toMatchObject({ code: 'InvalidUsage', message: expect.stringContaining('nowhere') });
});

test('a file without profiles is refused, with what to do', async () => {
  await expect(targetOf({}, {}, '# nothing yet\n')).rejects.toMatchObject({
    code: 'InvalidUsage',
    message: "Temporal's client config cannot be used: it has no [profile.NAME]; add one, or remove it",
  });
});
