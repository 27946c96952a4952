// docker-compose.yml and what belongs to it: valid, complete, and in step with the code. Docker itself is not needed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { TESTED } from '../src/host/tested-versions.js';
import {
  at,
  COMPOSE_FILE,
  COMPOSE_FOLDER,
  composeCommand,
  composeErrors,
  mapping,
  mounts,
  readCompose,
  replaceVariables,
  text,
  texts,
  type Yaml,
} from './support/compose.js';

const HERE = { PWD: '/somewhere/project' };
const compose = readCompose(HERE);
const services = mapping(at(compose, 'services'));

/** Seconds of a duration such as `11m` or `1m30s`; NaN when it is none. */
function seconds(duration: Yaml): number {
  const found = /^(?=\d)(?:(\d+)m)?(?:(\d+)s)?$/.exec(text(duration));
  return found === null ? NaN : Number(found[1] ?? 0) * 60 + Number(found[2] ?? 0);
}

test('the compose file follows the compose specification', () => {
  expect(composeErrors(compose)).toEqual([]);
});

test.each([
  { mistake: 'a misspelt key', from: 'stop_grace_period: 11m', to: 'stop_grace_time: 11m', where: '/services/worker' },
  {
    mistake: 'a duration without a unit',
    from: 'interval: 30s',
    to: 'interval: 30',
    where: '/services/worker/healthcheck/interval',
  },
  {
    mistake: 'a volume that is a number',
    from: '- worker-home:/home/node',
    to: '- 17',
    where: '/services/worker/volumes/1',
  },
  {
    mistake: 'a condition that does not exist',
    from: 'condition: service_healthy',
    to: 'condition: service_happy',
    where: '/services/temporal-schema/depends_on/postgres/condition',
  },
])('$mistake is found in a broken compose file', ({ from, to, where }) => {
  const sound = readFileSync(COMPOSE_FILE, 'utf8');
  const broken = sound.replaceAll(from, to);
  expect(broken).not.toBe(sound);
  expect(composeErrors(readCompose(HERE, broken)).join('\n')).toContain(where);
});

test('every service that another one waits for exists', () => {
  const awaited = Object.values(services).flatMap((service) =>
    Object.keys(mapping(mapping(service)['depends_on'] ?? {})),
  );
  expect(awaited.length).toBeGreaterThan(0);
  for (const name of awaited) expect(Object.keys(services)).toContain(name);
});

test('every image of another user has a fixed version', () => {
  const images = Object.values(services).map((service) => text(at(service, 'image')));
  const foreign = images.filter((image) => image !== 'raymond-worker');
  expect(foreign).toHaveLength(6);
  for (const image of foreign) expect(image).toMatch(/:v?\d+(\.\d+)*[\w.-]*$/);
});

test('every named volume is declared and every mounted path of the project exists', () => {
  const sources = Object.values(services).flatMap((service) => mounts(service).map(({ source }) => source));
  const declared = Object.keys(mapping(at(compose, 'volumes')));
  expect(sources.filter((source) => /^\w/.test(source)).sort()).toEqual(declared.sort());
  const files = sources.filter((source) => source.startsWith('.'));
  expect(new Set(files)).toEqual(new Set(['./docker/temporal', './docker/fleet/config.toml']));
  for (const file of files) expect(existsSync(join(COMPOSE_FOLDER, file))).toBe(true);
});

test('the server finds its dynamic config in the mounted folder, which lifts the limit on turns and notices lost hosts soon', () => {
  const path = text(at(services, 'temporal', 'environment', 'DYNAMIC_CONFIG_FILE_PATH'));
  const mount = mounts(at(services, 'temporal')).find(({ target }) => path.startsWith(`${target}/`));
  const file = join(COMPOSE_FOLDER, mount!.source, path.slice(mount!.target.length));
  const config = parse(readFileSync(file, 'utf8')) as Yaml;
  expect(config).toEqual({
    'history.transferProcessorMaxPollRPS': [{ value: 2000 }],
    'system.enableActivityEagerExecution': [{ value: true }],
    'frontend.keepAliveTime': [{ value: '10s' }],
    'frontend.keepAliveTimeout': [{ value: '5s' }],
    'history.workflowTaskRetryMaxInterval': [{ value: '10s' }],
    'frontend.namespaceRPS.visibility': [{ value: 100 }],
    'limit.maxIDLength': [{ value: 255 }],
  });
});

test('what runs turns writes into its volumes and /tmp only', () => {
  for (const name of ['worker', 'host-a', 'host-b']) {
    const service = at(services, name);
    expect([name, at(service, 'read_only'), texts(at(service, 'tmpfs'))]).toEqual([name, true, ['/tmp']]);
    expect(mounts(service).map(({ target }) => target)).toContain('/home/node');
  }
});

test('every duration is one', () => {
  const durations = Object.values(services).flatMap((service) => {
    const { interval, timeout, start_period: start } = mapping(mapping(service)['healthcheck'] ?? {});
    return [interval, timeout, start, mapping(service)['stop_grace_period']].filter(
      (duration) => duration !== undefined,
    );
  });
  expect(durations.length).toBeGreaterThan(10);
  for (const duration of durations) expect(seconds(duration)).toBeGreaterThan(0);
});

test('the ports are open to this machine only', () => {
  const ports = Object.values(services).flatMap((service) => texts(mapping(service)['ports'] ?? []));
  expect(ports).toEqual(['127.0.0.1:7233:7233', '127.0.0.1:8080:8080', '127.0.0.1:7070:7070']);
});

describe('the worker', () => {
  test('serves the queue raymond of the composed server', () => {
    const served = ['--address', 'temporal:7233', '--namespace', 'default', '--task-queue', 'raymond'];
    expect(composeCommand('worker', HERE)).toEqual(['raymond', 'worker', ...served]);
  });

  test('can be pointed at another address', () => {
    const elsewhere = { ...HERE, RAYMOND_WORKER_ADDRESS: '127.0.0.1:17233' };
    expect(composeCommand('worker', elsewhere)).toContain('127.0.0.1:17233');
    expect(composeCommand('setup', elsewhere)).toEqual([
      'raymond',
      'setup',
      '--address',
      '127.0.0.1:17233',
      '--namespace',
      'default',
    ]);
  });

  test.each([
    { wish: 'the current directory', variables: HERE, path: HERE.PWD },
    { wish: 'PROJECT_DIR', variables: { ...HERE, PROJECT_DIR: '/srv/other' }, path: '/srv/other' },
  ])('sees $wish at the path that it has outside, and works there', ({ variables, path }) => {
    const worker = at(readCompose(variables), 'services', 'worker');
    expect(mounts(worker)).toContainEqual({ source: path, target: path });
    expect(at(worker, 'working_dir')).toBe(path);
  });

  test('has more time to stop than its turns have to end', () => {
    const source = readFileSync(join(COMPOSE_FOLDER, 'src/cli/serving/worker.ts'), 'utf8');
    const drain = Number(/DRAIN_SECONDS = (\d+)/.exec(source)?.[1]);
    // A worker that was forced to end its turns needs a quarter of a minute more.
    expect(seconds(at(services, 'worker', 'stop_grace_period'))).toBeGreaterThan(drain + 15);
  });

  test('is given credentials by the environment only', () => {
    const environment = mapping(at(services, 'worker', 'environment'));
    expect(environment).toMatchObject({ ANTHROPIC_API_KEY: null, CLAUDE_CODE_OAUTH_TOKEN: null });
  });
});

describe('the image', () => {
  const dockerfile = readFileSync(join(COMPOSE_FOLDER, 'Dockerfile'), 'utf8');
  const ignore = readFileSync(join(COMPOSE_FOLDER, '.dockerignore'), 'utf8').split('\n');

  test('has the version of Claude Code that is tested', () => {
    expect(/CLAUDE_CODE_VERSION=(\S+)/.exec(dockerfile)?.[1]).toBe(TESTED.claudeCode);
  });

  test('is built from files that exist and reach the build', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' '),
    );
    expect(copied).toContain('src');
    for (const source of copied) {
      expect(existsSync(join(COMPOSE_FOLDER, source))).toBe(true);
      expect(ignore).toContain(`!${source}`);
    }
    expect(ignore).toContain('*');
  });

  test('begins with bases that can be made without a registry of images', () => {
    // scripts/image/base.mjs makes it of this name: Node.js from npm, Debian by debootstrap.
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base = '']) => base);
    const [, release] = /^node:\d+-(\w+)-slim$/.exec(bases[0] ?? '') ?? [];
    expect(bases.slice(1)).toEqual([`debian:${release}-slim`]);
  });

  test('does not run as root', () => {
    const users = [...dockerfile.matchAll(/^USER (\S+)$/gm)].map(([, user]) => user);
    expect(users).toEqual(['node']);
  });
});

describe('variables', () => {
  test.each([
    { text: 'plain', expected: 'plain' },
    { text: '${SET}', expected: 'value' },
    { text: '${UNSET}', expected: '' },
    { text: '${UNSET:-default}', expected: 'default' },
    { text: '${EMPTY:-default}', expected: 'default' },
    { text: '${SET:-default}', expected: 'value' },
    { text: '${UNSET:-${SET}}/${SET}', expected: 'value/value' },
    { text: 'costs $$5', expected: 'costs $5' },
    { text: '$${SET}', expected: '${SET}' },
  ])('$text becomes $expected', ({ text, expected }) => {
    expect(replaceVariables(text, { SET: 'value', EMPTY: '' })).toBe(expected);
  });

  test.each(['$SET', '${SET', '${SET:?needed}', '${}'])('%s is refused', (text) => {
    expect(() => replaceVariables(text, { SET: 'value' })).toThrow(/variable|brace/);
  });
});
