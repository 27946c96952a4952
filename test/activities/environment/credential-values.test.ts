// Which variables hold credentials, and which parts of their values are.
import { describe, expect, test } from '@jest/globals';
import { credentialsIn, isCredentialName } from '../../../src/activities/environment/credential-values.js';

test.each(
  `ANTHROPIC_API_KEY CLAUDE_CODE_OAUTH_TOKEN AWS_SECRET_ACCESS_KEY npm_token DB_PASSWORD DBPASS PGPASSWORD MYSQL_PWD
  GH_PAT FOO_CREDENTIALS FOO_CREDENTIAL REGISTRY_AUTH _auth SENTRY_DSN TLS_CERT PRIVATE_DATA SECRET_BASE PASS MYPASSWD APIKEY OPENAI_APIKEY
  KEY_OF_X SSH_PASSPHRASE VAULT_SECRETS SIGNING_KEY_2`.split(/\s+/),
)('%s is the name of a credential', (name) => {
  expect(isCredentialName(name)).toBe(true);
});

test.each(
  `PWD OLDPWD HOME PATH SSH_AUTH_SOCK XAUTHORITY GIT_AUTHOR_NAME KEYBOARD MONKEY COMPASS BYPASS SSH_ASKPASS GIT_ASKPASS AUTHOR PATTERN
  SSL_CERT_FILE SSL_CERT_DIR KEY_PATH MAX_THINKING_TOKENS CLAUDE_CODE_API_KEY_HELPER_TTL_MS PRIVATELY DATABASE_URL AWS_ACCESS_KEY_ID`.split(
    /\s+/,
  ),
)('%s is none', (name) => {
  expect(isCredentialName(name)).toBe(false);
});

describe('of a variable count', () => {
  test.each([
    ['the whole value', 'GH_PAT', ' abcdef \n', ['abcdef']],
    ['no short value', 'GH_PAT', 'abcde', []],
    ['no common word', 'USE_AUTH', 'disabled', []],
    ['no short number', 'PASS_BY_VALUE', '100000', []],
    ['no path where a file may be meant', 'GOOGLE_APPLICATION_CREDENTIALS', '/home/u/key.json', []],
    ['a path that is a password', 'DB_PASSWORD', '/home/u/key', ['/home/u/key']],
    ['nothing of other variables', 'GREETING', 'good morning', []],
    [
      'the password of an address, with the name and alone',
      'DATABASE_URL',
      'postgres://app:s3cr3t-1@db/app',
      ['app:s3cr3t-1@', 's3cr3t-1', 's3cr3t-1'],
    ],
    [
      'the password as it is written and as it is meant',
      'REDIS',
      'redis://:p%40ss-word@host:6379',
      [':p%40ss-word@', 'p%40ss-word', 'p@ss-word'],
    ],
    [
      'only both when the password is a word of the address',
      'PG',
      'postgres://postgres:postgres@db',
      ['postgres:postgres@'],
    ],
    ['nothing of an address without a password', 'PROXY', 'http://proxy.example:8080/a:b@c', []],
    ['the password of a connection string', 'CONN', 'Server=db;Password=open-sesame;Encrypt=1', ['open-sesame']],
    [
      'the whole of a DSN, and the password in it',
      'APP_DSN',
      'host=db password=open-sesame',
      ['host=db password=open-sesame', 'open-sesame'],
    ],
  ])('%s', (_what, ...[name, value, expected]) => {
    expect(credentialsIn(name, value)).toEqual(expected);
  });
});
