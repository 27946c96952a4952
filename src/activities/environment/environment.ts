// Which environment variables a turn's process gets. Prompts get an allow-list, so that no secret
// reaches a model by accident; scripts get all. Names match without regard to case (as on Windows;
// http_proxy is as common as HTTP_PROXY). Callers pass process.env.
/** Variables by name. */
export type Environment = Readonly<Record<string, string>>;

const COMMON = globs(`
  PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TERM COLORTERM NO_COLOR FORCE_COLOR TZ TMPDIR XDG_* HOSTNAME CI
  SSH_AUTH_SOCK SSH_AGENT_PID GIT_* GPG_TTY GNUPGHOME EDITOR VISUAL PAGER DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE
  CURL_CA_BUNDLE PIP_CERT CARGO_HTTP_CAINFO NIX_SSL_CERT_FILE NIX_PATH NIX_PROFILES
  JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME SDKMAN_DIR ANDROID_HOME ANDROID_SDK_ROOT KOTLIN_HOME
  GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOFLAGS GOTOOLCHAIN CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN
  NVM_DIR NVM_BIN VOLTA_HOME FNM_* N_PREFIX NODE_PATH PNPM_HOME BUN_INSTALL DENO_DIR DENO_INSTALL COREPACK_HOME
  VIRTUAL_ENV PYTHONPATH PYTHONHOME PYENV_ROOT PYENV_VERSION CONDA_PREFIX CONDA_EXE CONDA_DEFAULT_ENV POETRY_HOME UV_CACHE_DIR
  PIPX_HOME RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR MISE_SHELL
  HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY DOTNET_ROOT FLUTTER_ROOT PERL5LIB LD_LIBRARY_PATH DYLD_LIBRARY_PATH
  PKG_CONFIG_PATH CC CXX MAKEFLAGS DOCKER_HOST DOCKER_CONTEXT KUBECONFIG
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)
  USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH PUBLIC OS PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS PSMODULEPATH
`);

/** What an isolated turn gets from the host: how to find programs and reach the model. */
const ISOLATED = globs(`
  PATH TZ NIX_SSL_CERT_FILE HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS IS_SANDBOX
  ANTHROPIC_* CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_USE_* CLAUDE_CODE_SKIP_*_AUTH CLAUDE_CODE_CLIENT_*
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT PROGRAMFILES PROGRAMFILES(X86) CLAUDE_CODE_GIT_BASH_PATH
`);

/** What scripts inherit: everything, or what prompts get without Claude's part. */
export const SCRIPT_ENVIRONMENTS = ['inherit', 'clean'] as const;

/** One of them. */
export type ScriptEnvironments = (typeof SCRIPT_ENVIRONMENTS)[number];

const CLAUDE = globs(`
  ANTHROPIC_* CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_* CLAUDE_CODE_SKIP_*_AUTH CLAUDE_CODE_CLIENT_*
  CLAUDE_CODE_API_KEY_HELPER_TTL_MS CLAUDE_CODE_EFFORT_LEVEL CLAUDE_CODE_SUBAGENT_MODEL CLAUDE_CODE_EXTRA_BODY
  CLAUDE_CODE_MAX_* CLAUDE_CODE_DISABLE_* CLAUDE_CODE_ENABLE_* CLAUDE_ENABLE_* CLAUDE_STREAM_* CLAUDE_BYTE_STREAM_*
  CLAUDE_CODE_TMPDIR CLAUDE_CODE_SHELL CLAUDE_CODE_SHELL_PREFIX CLAUDE_CODE_GIT_BASH_PATH CLAUDE_BASH_* IS_SANDBOX
  DISABLE_* API_TIMEOUT_MS MAX_THINKING_TOKENS MAX_MCP_OUTPUT_TOKENS MCP_TIMEOUT MCP_TOOL_TIMEOUT
  BASH_DEFAULT_TIMEOUT_MS BASH_MAX_TIMEOUT_MS BASH_MAX_OUTPUT_LENGTH USE_BUILTIN_RIPGREP
`);

/** Credentials of a cloud are passed only when Claude Code is set to use that cloud. */
const PROVIDERS: readonly { readonly when: RegExp; readonly names: RegExp }[] = [
  {
    when: globs('CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_MANTLE CLAUDE_CODE_USE_ANTHROPIC_AWS'),
    names: globs('AWS_*'),
  },
  {
    when: globs('CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD'),
    names: globs('GOOGLE_* CLOUDSDK_* CLOUD_ML_REGION VERTEX_* GCLOUD_PROJECT'),
  },
  { when: globs('CLAUDE_CODE_USE_FOUNDRY'), names: globs('AZURE_*') },
];

/** The address of Claude Code's own telemetry, with keys in headers, is passed only when telemetry is on. */
const TELEMETRY = {
  when: globs('CLAUDE_CODE_ENABLE_TELEMETRY'),
  names: globs(
    'CLAUDE_CODE_ENABLE_TELEMETRY CLAUDE_CODE_ENHANCED_TELEMETRY_BETA CLAUDE_CODE_PROPAGATE_TRACEPARENT CLAUDE_CODE_OTEL_* OTEL_*',
  ),
};

/**
 * What Claude Code sets for its child processes: a turn that inherits it would think that it runs
 * inside another session.
 */
const OUTER_CLAUDE = globs(`
  CLAUDECODE CLAUDE_PID CLAUDE_EFFORT CLAUDE_PROJECT_DIR CLAUDE_AGENT_SDK_VERSION AI_AGENT CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH
  CLAUDE_CODE_CHILD_* CLAUDE_CODE_SESSION_* CLAUDE_CODE_MESSAGING_* CLAUDE_CODE_REMOTE* CLAUDE_CODE_RESUME_*
  CLAUDE_CODE_LAUNCHED_BY_* CLAUDE_CODE_SSE_PORT CLAUDE_CODE_TOOL_USE_ID
`);

/** Raymond's own names: only the turn may set them. */
const RESERVED = globs('RAYMOND_*');

/** What a shell sets for itself; wrong in another directory. */
const SHELL_STATE = globs('_ PWD OLDPWD SHLVL');

/**
 * For processes without a person: variables that a turn must have, and defaults that the user may
 * override.
 */
const HEADLESS = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };
const HEADLESS_DEFAULTS = { CLAUDE_CODE_MAX_RETRIES: '2', CLAUDE_ENABLE_BYTE_WATCHDOG: '1' };

/** For hosts that no person watches: no reports, and no file that a prompt merely mentions. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
};

/** Linux refuses to start a process with a variable of 128 KiB. */
const MAX_VALUE_BYTES = 100 * 1024;

/** The variables of a prompt's process. `withheld` = the sorted names that `env_pass` could add. */
interface PromptEnvironment {
  readonly env: Environment;
  readonly withheld: readonly string[];
}

/**
 * The environment of a Claude turn. `envPass` holds names and globs beyond the allow-list; `added` is meant for the turn and not
 * withheld; `mentions: 'off'` keeps `@path` as text; `isolatedIn` is the folder that an isolated turn has for its home and its
 * temporary files.
 */
export function promptEnvironment({
  inherited,
  added = {},
  raymond,
  envPass = [],
  mentions = 'on',
  isolatedIn,
}: {
  readonly inherited: Environment;
  readonly added?: Environment;
  readonly raymond: Environment;
  readonly envPass?: readonly string[];
  readonly mentions?: 'on' | 'off';
  readonly isolatedIn?: string;
}): PromptEnvironment {
  const candidates = Object.keys(inherited).filter((name) => !isForeign(name) && !SHELL_STATE.test(name));
  const base = isolatedIn === undefined ? [COMMON, CLAUDE] : [ISOLATED];
  const allowed = [...base, ...providersOf({ ...inherited, ...added }), globs(envPass.join(' '))];
  const own = Object.keys(added).filter((name) => !isForeign(name));
  const passed = candidates.filter((name) => allowed.some((pattern) => pattern.test(name)));
  return {
    env: {
      ...HEADLESS_DEFAULTS,
      ...pick(inherited, passed),
      ...pick(added, own),
      ...(isolatedIn === undefined ? {} : { LANG: 'C.UTF-8', ...QUIET, ...homeIn(isolatedIn) }),
      ...HEADLESS,
      ...(mentions === 'off' ? { CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' } : {}),
      ...raymond,
    },
    withheld: candidates.filter((name) => !passed.includes(name) && !own.includes(name)).sort(),
  };
}

/** Whatever `env_pass` says, the home of an isolated turn is its own. */
function homeIn(folder: string): Environment {
  return { HOME: folder, USERPROFILE: folder, TMPDIR: folder, CLAUDE_CODE_TMPDIR: folder };
}

/** Why a fork attribute did not become a variable. */
interface IgnoredAttribute {
  readonly name: string;
  readonly reason: 'reserved' | 'too-long' | 'not-text';
}

/** The variables of a script's process, and the attributes that could not become variables. */
interface ScriptEnvironment {
  readonly env: Environment;
  readonly ignored: readonly IgnoredAttribute[];
}

/** The environment of a script: everything inherited, or with `clean` (its `env_pass` globs) the allow-list of prompts without Claude's part. */
export function scriptEnvironment({
  inherited,
  raymond,
  attributes = {},
  clean,
}: {
  readonly inherited: Environment;
  readonly raymond: Environment;
  readonly attributes?: Environment;
  readonly clean?: readonly string[];
}): ScriptEnvironment {
  const own = Object.keys(inherited).filter((name) => !isForeign(name));
  const extra = globs((clean ?? ['*']).join(' '));
  const passed = own.filter((name) => COMMON.test(name) || extra.test(name));
  const ignored = Object.entries(attributes).flatMap(([name, value]) => ignoredAttribute(name, value));
  const usable = Object.keys(attributes).filter((name) => !ignored.some((one) => one.name === name));
  return { env: { ...pick(inherited, passed), ...pick(attributes, usable), ...raymond }, ignored };
}

function isForeign(name: string): boolean {
  return OUTER_CLAUDE.test(name) || RESERVED.test(name);
}

function providersOf(inherited: Environment): readonly RegExp[] {
  const chosen = Object.entries(inherited).filter(([, value]) => /^(1|true|yes|on)$/i.test(value));
  return [...PROVIDERS, TELEMETRY]
    .filter(({ when }) => chosen.some(([name]) => when.test(name)))
    .map(({ names }) => names);
}

function ignoredAttribute(name: string, value: string): readonly IgnoredAttribute[] {
  if (RESERVED.test(name)) return [{ name, reason: 'reserved' }];
  if (value.includes('\0')) return [{ name, reason: 'not-text' }];
  return Buffer.byteLength(value) > MAX_VALUE_BYTES ? [{ name, reason: 'too-long' }] : [];
}

function pick(from: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

/**
 * One pattern for a list of names and globs, separated by white space; an empty list matches
 * nothing.
 */
function globs(list: string): RegExp {
  const names = list.split(/\s+/).filter((name) => name !== '');
  const patterns = names.map((name) => name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*'));
  return patterns.length === 0 ? /(?!)/ : new RegExp(`^(?:${patterns.join('|')})$`, 'i');
}
