// Which custom attributes may become variables of a script. A model chooses their names, and programs act on
// environment variables: BASH_ENV names a file that bash runs. Pure.
import type { Change } from './parse.js';
import type { NameConflict, Problem } from './problem.js';
import type { Attributes } from './tag.js';
import { executorOf, type Platform } from './resolve.js';

/** The variables that scripts on a host inherit, by name. */
interface HostVariables {
  readonly names: ReadonlySet<string>;
  readonly platform: Platform;
}

/** Settings of programs; a star matches any end of a name. */
const SETTINGS = patternOf(`
  LD_* DYLD_* GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH MALLOC_* ASAN_* LSAN_* TSAN_* UBSAN_* LIBRARY_PATH CPATH
  PATH HOME SHELL USER LOGNAME HOSTNAME PWD OLDPWD TMPDIR TEMP TMP TZ TZDIR TERM TERMINFO* TERMCAP LANG LC_* XDG_* DISPLAY DBUS_*
  IFS ENV BASH_* BASHOPTS SHELLOPTS PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND CDPATH FPATH GLOBIGNORE EXECIGNORE HISTFILE INPUTRC ZDOTDIR
  POSIXLY_CORRECT OPTIND UID EUID PPID SHLVL COMSPEC PATHEXT SYSTEMROOT SYSTEMDRIVE WINDIR PSMODULEPATH
  APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES USERPROFILE HOMEDRIVE HOMEPATH
  NODE_* NPM_* YARN_* PNPM_* COREPACK_* BUN_* DENO_* TS_NODE_* PYTHON* PIP_* UV_* POETRY_* PIPX_* VIRTUAL_ENV CONDA_*
  PERL5* PERLLIB PERLIO RUBY* GEM_* BUNDLE_* RBENV_* JAVA_* _JAVA_OPTIONS JDK_* CLASSPATH MAVEN_* M2_HOME GRADLE_* SBT_OPTS
  GOPATH GOROOT GOBIN GOENV GOFLAGS GOPROXY GOPRIVATE GONOPROXY GOSUMDB GONOSUMDB GOINSECURE GOTOOLCHAIN GOCACHE GOMODCACHE GODEBUG
  GOTMPDIR GOVCS CGO_* RUSTFLAGS RUSTC* RUSTUP_* RUSTDOC* CARGO_* PHPRC PHP_* COMPOSER_* LUA_* R_HOME R_PROFILE* R_ENVIRON* R_LIBS*
  ERL_* MIX_* DOTNET_* CORECLR_* COMPLUS_* NUGET_* TCLLIBPATH GUILE_* JULIA_*
  GIT_* SSH_* GPG_* GNUPGHOME HGRCPATH GH_* CURL_* WGETRC SSL_* OPENSSL_* REQUESTS_CA_BUNDLE NIX_*
  DOCKER_* BUILDKIT_* COMPOSE_* KUBECONFIG HELM_* TF_* ANSIBLE_* AWS_* AZURE_* GOOGLE_* CLOUDSDK_* VAULT_*
  PGHOST PGHOSTADDR PGPORT PGUSER PGPASSWORD PGPASSFILE PGSERVICE PGSERVICEFILE PGSYSCONFDIR PGOPTIONS PGSSL* MYSQL_*
  EDITOR VISUAL PAGER MANPAGER MANPATH BROWSER LESS LESSOPEN LESSCLOSE LESSKEY* TAR_OPTIONS GREP_OPTIONS AWKPATH AWKLIBPATH GZIP
  MAKE MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS CC CXX CPP LD AR AS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CMAKE_* PKG_CONFIG*
  SUDO_* HOMEBREW_* ASDF_* MISE_* NVM_* PYENV_* SDKMAN_* VOLTA_* DIRENV_* OTEL_*
  ANTHROPIC_* CLAUDE* OPENAI_* MCP_* TEMPORAL_*
`);

/** Programs read these in lower case as well. */
const PROXY = /^(?:https?|ftp|all|no|socks|rsync|wss?)_proxy$/i;

/** Why an attribute of this name cannot be a variable of a script, if it cannot. */
export function nameConflict(name: string, { names, platform }: HostVariables): NameConflict | undefined {
  if (PROXY.test(name)) return 'setting';
  // On Windows these names are case-insensitive.
  const meant = platform === 'windows' ? name.toUpperCase() : name;
  if (/[a-z]/.test(meant)) return undefined;
  if (SETTINGS.test(meant)) return 'setting';
  return names.has(meant) ? 'inherited' : undefined;
}

/** The first attribute in a change that its agent's script cannot get. States are file names. */
export function conflictIn(change: Change, host: HostVariables): Problem | undefined {
  for (const { tag, target, attributes } of givenIn(change)) {
    if (executorOf(target) === 'prompt') continue;
    for (const attribute of Object.keys(attributes)) {
      const conflict = nameConflict(attribute, host);
      if (conflict) return { kind: 'taken-name', tag, target, attribute, conflict };
    }
  }
  return undefined;
}

interface Given {
  readonly tag: string;
  readonly target: string;
  readonly attributes: Attributes;
}

function givenIn(change: Change): readonly Given[] {
  if (change.kind === 'one') {
    const { tag } = change;
    return 'attributes' in tag ? [{ tag: tag.kind, target: tag.target, attributes: tag.attributes ?? {} }] : [];
  }
  const forks = change.forks.flatMap((fork) => (fork.kind === 'fork' ? [{ ...fork, tag: fork.kind }] : []));
  return [...forks, { tag: 'goto', target: change.next, attributes: change.attributes ?? {} }];
}

/** The names of a host's variables, as the host compares them. */
export function hostVariables(environment: Readonly<Record<string, string>>, platform: Platform): HostVariables {
  const names = Object.keys(environment);
  return { names: new Set(platform === 'windows' ? names.map((name) => name.toUpperCase()) : names), platform };
}

function patternOf(list: string): RegExp {
  return new RegExp(`^(?:${list.trim().replaceAll('*', '.*').split(/\s+/).join('|')})$`);
}
