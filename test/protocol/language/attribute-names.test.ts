// Which names of attributes may become variables of a script.
import { expect, test } from '@jest/globals';
import { hostVariables, nameConflict } from '../../../src/protocol/language/attribute-names.js';

const INHERITED = { TOKEN: 'x', Mixed: 'x', ITEM_2: 'x' };
const unix = hostVariables(INHERITED, 'unix');
const windows = hostVariables(INHERITED, 'windows');

test.each(
  `LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GCONV_PATH PATH HOME SHELL IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4
  PROMPT_COMMAND CDPATH GLOBIGNORE TMPDIR TZ LC_ALL XDG_CONFIG_HOME NODE_OPTIONS NODE_PATH NPM_CONFIG_PREFIX PYTHONPATH PYTHONSTARTUP
  PIP_INDEX_URL PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH GOFLAGS RUSTC_WRAPPER CARGO_HOME
  GIT_SSH_COMMAND GIT_DIR SSH_ASKPASS EDITOR PAGER LESSOPEN MAKEFLAGS CC DOCKER_HOST KUBECONFIG AWS_ENDPOINT_URL ANTHROPIC_BASE_URL
  CLAUDE_CODE_SHELL_PREFIX HTTP_PROXY http_proxy Https_Proxy no_proxy ALL_PROXY CURL_HOME SSL_CERT_FILE`.split(/\s+/),
)('%s is a setting of programs', (name) => {
  expect(nameConflict(name, unix)).toBe('setting');
});

test.each(
  'item path Path bash_env ld_preload home Mixed token ITEM FILE TASK BRANCH ISSUE N GOAL PATHS HISTORY LANGUAGE PERL PROXY_ITEM PR_NUMBER MODE'.split(
    ' ',
  ),
)('%s is free', (name) => {
  expect(nameConflict(name, unix)).toBeUndefined();
});

test.each(['TOKEN', 'ITEM_2'])('%s is taken where the environment has it', (name) => {
  expect(nameConflict(name, unix)).toBe('inherited');
  expect(nameConflict(name, hostVariables({}, 'unix'))).toBeUndefined();
});

test.each([
  ['Path', 'setting'],
  ['mixed', 'inherited'],
  ['item', undefined],
] as const)('on Windows, which ignores case, %s is %s', (name, conflict) => {
  expect(nameConflict(name, windows)).toBe(conflict);
});
