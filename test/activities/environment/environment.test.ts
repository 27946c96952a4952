// Pure unit tests of what a turn's process gets to see of the worker's environment.
import { describe, expect, test } from '@jest/globals';
import { promptEnvironment, scriptEnvironment } from '../../../src/activities/environment/environment.js';

const raymond = { RAYMOND_WORKFLOW_ID: 'run-1', RAYMOND_ATTEMPT: 'a1' };

describe('a prompt', () => {
  test.each([
    ['PATH', {}],
    ['LC_ALL', {}],
    ['XDG_CONFIG_HOME', {}],
    ['GIT_AUTHOR_NAME', {}],
    ['https_proxy', {}],
    ['HTTPS_PROXY', {}],
    ['NODE_EXTRA_CA_CERTS', {}],
    ['JAVA_HOME', {}],
    ['VIRTUAL_ENV', {}],
    ['KUBECONFIG', {}],
    ['ANTHROPIC_API_KEY', {}],
    ['ANTHROPIC_BASE_URL', {}],
    ['CLAUDE_CODE_OAUTH_TOKEN', {}],
    ['CLAUDE_CONFIG_DIR', {}],
    ['CLAUDE_CODE_USE_BEDROCK', {}],
    ['AWS_SECRET_ACCESS_KEY', { CLAUDE_CODE_USE_BEDROCK: '1' }],
    ['GOOGLE_APPLICATION_CREDENTIALS', { CLAUDE_CODE_USE_VERTEX: 'true' }],
    ['ProgramFiles(x86)', {}],
    ['OTEL_EXPORTER_OTLP_HEADERS', { CLAUDE_CODE_ENABLE_TELEMETRY: '1' }],
    ['CLAUDE_CODE_ENHANCED_TELEMETRY_BETA', { CLAUDE_CODE_ENABLE_TELEMETRY: '1' }],
  ])('gets %s', (name, more) => {
    expect(promptEnvironment({ inherited: { [name]: 'v', ...more }, raymond }).env).toHaveProperty([name], 'v');
  });

  test.each([
    ['GITHUB_TOKEN', {}],
    ['DATABASE_URL', {}],
    ['PATHOLOGY', {}],
    ['AWS_SECRET_ACCESS_KEY', {}],
    ['AWS_SECRET_ACCESS_KEY', { CLAUDE_CODE_USE_BEDROCK: '0' }],
    ['AWS_SECRET_ACCESS_KEY', { CLAUDE_CODE_USE_VERTEX: '1' }],
    ['GOOGLE_API_KEY', {}],
    ['NPM_TOKEN', {}],
    ['OTEL_EXPORTER_OTLP_HEADERS', {}],
    ['OTEL_EXPORTER_OTLP_HEADERS', { CLAUDE_CODE_ENABLE_TELEMETRY: '0' }],
  ])('does not get %s, and is reported', (name, more) => {
    const { env, withheld } = promptEnvironment({ inherited: { [name]: 'v', ...more }, raymond });
    expect(env).not.toHaveProperty([name]);
    expect(withheld).toEqual([name]);
  });

  test('gets what its package adds, above what is inherited and below what a turn must have', () => {
    const added = {
      PATH: 'mine',
      TOKEN: 'told',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDECODE: '1',
      DISABLE_AUTOUPDATER: '0',
      RAYMOND_ATTEMPT: 'x',
    };
    const inherited = { PATH: 'theirs', TOKEN: 'secret', AWS_REGION: 'eu' };
    const { env, withheld } = promptEnvironment({ inherited, added, raymond, mentions: 'off' });
    expect(env).toMatchObject({
      ...{ PATH: 'mine', TOKEN: 'told', AWS_REGION: 'eu', DISABLE_AUTOUPDATER: '1' },
      ...{ CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1', RAYMOND_ATTEMPT: 'a1' },
    });
    expect(env).not.toHaveProperty('CLAUDECODE');
    expect(withheld).toEqual([]);
  });

  test.each([
    [['GITHUB_TOKEN'], { GITHUB_TOKEN: 'g' }],
    [['DB_*'], { DB_USER: 'u', DB_PASSWORD: 'p' }],
    [['*'], { GITHUB_TOKEN: 'g', DB_USER: 'u', DB_PASSWORD: 'p' }],
  ])('gets what env_pass %j names', (envPass, expected) => {
    const inherited = { GITHUB_TOKEN: 'g', DB_USER: 'u', DB_PASSWORD: 'p' };
    const { env, withheld } = promptEnvironment({ inherited, raymond, envPass });
    expect(env).toMatchObject(expected);
    expect(withheld).toEqual(['DB_PASSWORD', 'DB_USER', 'GITHUB_TOKEN'].filter((name) => !(name in expected)));
  });

  test.each([
    'CLAUDECODE',
    'CLAUDE_CODE_ENTRYPOINT',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_CODE_MESSAGING_TOKEN',
    'RAYMOND_AGENT_ID',
    'PWD',
  ])('never gets an inherited %s, whatever env_pass says, and no warning names it', (name) => {
    const { env, withheld } = promptEnvironment({ inherited: { [name]: 'outer' }, raymond, envPass: ['*', name] });
    expect(env).not.toHaveProperty([name]);
    expect(withheld).toEqual([]);
  });

  test('gets the variables of its own turn', () => {
    const { env } = promptEnvironment({ inherited: { RAYMOND_ATTEMPT: 'outer' }, raymond });
    expect(env).toMatchObject(raymond);
  });

  test('runs without a person: no self-update, no background tasks, few retries; the last is the user’s to change', () => {
    const inherited = {
      DISABLE_AUTOUPDATER: '0',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '0',
      CLAUDE_CODE_MAX_RETRIES: '9',
    };
    expect(promptEnvironment({ inherited, raymond }).env).toEqual({
      ...raymond,
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_MAX_RETRIES: '9',
      CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
    });
    expect(promptEnvironment({ inherited: {}, raymond }).env).toHaveProperty('CLAUDE_CODE_MAX_RETRIES', '2');
  });

  test('reads file mentions unless they are switched off for the turn', () => {
    expect(promptEnvironment({ inherited: {}, raymond }).env).not.toHaveProperty('CLAUDE_CODE_DISABLE_FILE_MENTIONS');
    expect(promptEnvironment({ inherited: {}, raymond, mentions: 'off' }).env).toHaveProperty(
      'CLAUDE_CODE_DISABLE_FILE_MENTIONS',
      '1',
    );
  });
});

describe('an isolated prompt', () => {
  const of = (inherited: Readonly<Record<string, string>>, envPass: readonly string[] = []) =>
    promptEnvironment({ inherited, raymond, envPass, isolatedIn: '/tmp/home' });

  test('has a home of its own, no reports home and no file mentions', () => {
    const inherited = { HOME: '/home/me', LANG: 'de_DE', TMPDIR: '/var/tmp', CLAUDE_CONFIG_DIR: '/home/me/.claude' };
    expect(of(inherited).env).toEqual({
      ...raymond,
      LANG: 'C.UTF-8',
      HOME: '/tmp/home',
      USERPROFILE: '/tmp/home',
      TMPDIR: '/tmp/home',
      CLAUDE_CODE_TMPDIR: '/tmp/home',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
    });
  });

  test.each([
    ['PATH', {}],
    ['https_proxy', {}],
    ['ANTHROPIC_API_KEY', {}],
    ['ANTHROPIC_BASE_URL', {}],
    ['CLAUDE_CODE_OAUTH_TOKEN', {}],
    ['AWS_SECRET_ACCESS_KEY', { CLAUDE_CODE_USE_BEDROCK: '1' }],
  ])('gets %s', (name, more) => {
    expect(of({ [name]: 'v', ...more }).env).toHaveProperty([name], 'v');
  });

  test.each([
    'SSH_AUTH_SOCK',
    'GIT_DIR',
    'XDG_CONFIG_HOME',
    'KUBECONFIG',
    'AWS_PROFILE',
    'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
  ])('does not get %s, unless env_pass names it', (name) => {
    expect(of({ [name]: 'v' })).toMatchObject({ withheld: [name] });
    expect(of({ [name]: 'v' }, [name]).env).toHaveProperty([name], 'v');
  });

  test('keeps its own home even when env_pass names all', () => {
    expect(of({ HOME: '/home/me' }, ['*']).env).toHaveProperty('HOME', '/tmp/home');
  });
});

describe('a script', () => {
  const inherited = { PATH: '/bin', GITHUB_TOKEN: 'g', PWD: '/here', CLAUDECODE: '1', RAYMOND_INPUT: 'outer' };

  test('gets all that the worker was started with, but nothing of an outer Claude or run', () => {
    expect(scriptEnvironment({ inherited, raymond }).env).toEqual({
      PATH: '/bin',
      GITHUB_TOKEN: 'g',
      PWD: '/here',
      ...raymond,
    });
  });

  test('gets the allow-list and env_pass only, when the config says clean', () => {
    expect(scriptEnvironment({ inherited, raymond, clean: [] }).env).toEqual({ PATH: '/bin', ...raymond });
    expect(scriptEnvironment({ inherited, raymond, clean: ['GITHUB_*'] }).env).toHaveProperty('GITHUB_TOKEN', 'g');
  });

  test('gets fork attributes by their own names, over what is inherited', () => {
    const { env, ignored } = scriptEnvironment({ inherited, raymond, attributes: { item: 'x', PATH: '/mine' } });
    expect(env).toMatchObject({ item: 'x', PATH: '/mine' });
    expect(ignored).toEqual([]);
  });

  test.each([
    ['RAYMOND_ATTEMPT', 'mine', 'reserved'],
    ['raymond_new', 'mine', 'reserved'],
    ['zero', 'a\0b', 'not-text'],
    ['long', 'é'.repeat(60_000), 'too-long'],
  ])('does not get the attribute %s, and that is reported', (name, value, reason) => {
    const { env, ignored } = scriptEnvironment({ inherited: {}, raymond, attributes: { [name]: value } });
    expect(env).toEqual(raymond);
    expect(ignored).toEqual([{ name, reason }]);
  });
});
