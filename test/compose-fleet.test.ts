// The fleet of the composed cluster (profile "fleet"): hosts that share a bucket and no volume. Docker itself is not needed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'smol-toml';
import { CONFIG_KEYS } from '../src/client/project/config-keys.js';
import { at, COMPOSE_FOLDER, mapping, mounts, readCompose, texts } from './support/compose.js';

const services = mapping(at(readCompose({ PWD: '/somewhere/project' }), 'services'));
const hosts = ['host-a', 'host-b'].map((name) => mapping(at(services, name)));
const config = parse(readFileSync(join(COMPOSE_FOLDER, 'docker/fleet/config.toml'), 'utf8'));

test('the hosts share no volume', () => {
  const volumes = hosts.map((host) => mounts(host).map(({ source }) => source));
  const [one = [], other = []] = volumes.map((sources) => sources.filter((source) => !source.startsWith('.')));
  expect(one.filter((source) => other.includes(source))).toEqual([]);
  expect(one).toHaveLength(2);
});

test('the hosts are alike but for their names and volumes', () => {
  const [one, other] = hosts.map(({ hostname: _name, volumes: _volumes, ...rest }) => rest);
  expect(other).toEqual(one);
  expect(hosts.map(({ hostname }) => hostname)).toEqual(['host-a', 'host-b']);
});

test('they have a config that Raymond takes, with the bucket of the composed cluster', () => {
  const table = config['raymond'] as Readonly<Record<string, string>>;
  for (const [key, value] of Object.entries(table))
    expect({ key, ...CONFIG_KEYS[key as keyof typeof CONFIG_KEYS].schema.safeParse(value) }).toMatchObject({
      success: true,
    });
  const [, bucket] = /^s3:\/\/(\w+)\//.exec(table['artifact_store'] ?? '') ?? [];
  const command = texts(at(services, 'bucket', 'command')).join('\n');
  expect(command).toContain(`mkdir -p /data/${bucket};`);
  expect(command).toContain(`--port :${new URL(table['s3_endpoint'] ?? '').port}`);
  expect(new URL(table['s3_endpoint'] ?? '').hostname).toBe('bucket');
  for (const host of hosts)
    for (const { target } of mounts(host))
      if (target === '/srv/raymond') expect(table['workspace_root']?.startsWith(`${target}/`)).toBe(true);
});

test('they show the keys that the bucket has, and are given more time to stop than their turns have to end', () => {
  const keys = mapping(at(services, 'bucket', 'environment'));
  for (const host of hosts) {
    expect(host['environment']).toMatchObject({
      AWS_ACCESS_KEY_ID: keys['ROOT_ACCESS_KEY'],
      AWS_SECRET_ACCESS_KEY: keys['ROOT_SECRET_KEY'],
    });
    expect(host['stop_grace_period']).toBe(at(services, 'worker', 'stop_grace_period'));
  }
});
