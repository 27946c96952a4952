// Rules about what a state in a sandbox cannot reach: hosts, files outside of its folders, and variables with credentials.
import { coversHost, givesVariable, type SandboxRequest } from '../../../protocol/sandbox.js';
import type { StateNode } from '../../graph.js';
import type { Position, PositionedText } from '../../position.js';
import { plainText, statesOf } from '../helpers.js';
import { attributesPassed } from '../passed.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { sandboxAsked } from './sandbox-rules.js';

/** A state that surely runs in a sandbox, with all requests that apply to it. */
interface Isolated {
  readonly state: StateNode;
  readonly text: PositionedText;
  readonly code: string;
  readonly requests: readonly SandboxRequest[];
}

/** The states that run in a sandbox without a profile, which may allow anything. */
function* isolatedStates(analysis: Analysis): Generator<Isolated> {
  const { owner } = analysis.sandbox ?? {};
  const ofPackage = analysis.graph.source.parsedManifest?.sandbox;
  for (const state of statesOf(analysis)) {
    const { source } = state;
    const text = textOf(state);
    if (text === undefined) continue;
    const requests = [owner, ofPackage, sandboxAsked(source)?.request].filter((one) => one !== undefined);
    const isIn = requests.some(({ kind = 'none' }) => kind !== 'none');
    if (!isIn || requests.some(({ profile }) => profile !== undefined)) continue;
    yield { state, text, code: plainText(state), requests };
  }
}

function textOf({ source }: StateNode): PositionedText | undefined {
  if (source.kind === 'prompt') return source.prompt.body;
  return source.kind === 'script' ? source.raw : undefined;
}

const HOST = String.raw`["'\`]?https?:\/\/([\w.-]+)`;
const DOWNLOADS = new RegExp(
  String.raw`(?:^|[\s;&|(])(?:curl|wget|git clone)\s(?:[^\n]|\\\n)*?${HOST}|\b(?:urlopen|urlretrieve|Request|requests\.(?:get|post|put|head)|fetch)\(\s*f?${HOST}`,
  'gm',
);

/** A call with a variable in the place of the address. */
const DOWNLOADS_VARIABLE =
  /(?:^|[\s;&|(])(?:curl|wget)\s[^\n]*?["']?\$\{?(\w+)\b|\b(?:urlopen|urlretrieve|Request|requests\.(?:get|post|put|head)|fetch)\(\s*(\w+)\b/gm;

/** Commands that need a host without naming it in an address. */
const NEEDS_NETWORK = new RegExp(
  [
    String.raw`(?:npm|pnpm)\s+(?:ci|install|add|update|publish|i)\b(?![^\n]*--offline)`,
    String.raw`yarn\s+(?:install|add)\b(?![^\n]*--offline)`,
    String.raw`(?:pip3?|python3?\s+-m\s+pip)\s+install\s+(?![^\n]*(?:--no-index|--find-links|-e\s|\s\.))`,
    String.raw`git\s+(?:-C\s+\S+\s+)?(?:push|fetch|pull|ls-remote)\b`,
    String.raw`git\s+clone\s[^\n]*?(?:git@|ssh://)`,
    String.raw`gh\s+(?:pr|issue|repo|api|release|run|workflow)\b`,
    String.raw`(?:apt-get|apt|brew|dnf)\s+(?:-\w+\s+)*(?:install|update)\b`,
    String.raw`docker\s+(?:build|run|pull|push|compose)\b`,
    String.raw`aws\s+(?:s3|ec2|sqs|sns|lambda)\b`,
    String.raw`cargo\s+(?:install|publish)\b`,
    String.raw`go\s+(?:get|install)\s`,
  ].join('|'),
);

/** Programs that do not use a proxy, so that no list of hosts helps. */
const WITHOUT_PROXY =
  /(?:ssh|scp|sftp|ping|nc|telnet|dig|nslookup)\s+(?:-\w+\s+)*[\w$"'{}@.-]*[@.\w]|(?:psql|mysql|mysqldump|pg_dump|redis-cli)\s[^\n]*?(?:-h\s*|--host[= ])(?!["']?\/)/;

const COMMAND = String.raw`(?:^|[\n;&|(]|\b(?:then|do|else|if|exec|sudo|time|!)\s)[ \t]*`;
const QUOTED_COMMAND = String.raw`(?:\b(?:run|call|check_call|check_output|Popen|system|exec|execSync|spawn|spawnSync|execFileSync|execFile)\(\s*\[?\s*)["'\`]`;

interface Use {
  readonly at: number;
  readonly host: string;
}

function* withoutNetwork(analysis: Analysis): Generator<FindingDetails> {
  for (const isolated of isolatedStates(analysis)) {
    const { state, text, code, requests } = isolated;
    const use = state.kind === 'prompt' ? hostOfPrompt(isolated) : (hostOfScript(isolated) ?? commandOf(isolated));
    if (use === undefined) continue;
    const { at, host } = use;
    const isListed = requests.some(({ network = [] }) => network.length > 0);
    const reaches = isListed
      ? 'only the hosts of its network list'
      : state.kind === 'prompt'
        ? 'only the API of its model'
        : 'no host';
    yield {
      at: text.at(at + (code.slice(at).search(/\S/) || 0)),
      state: state.file,
      message: `in its sandbox, this ${state.kind} reaches ${reaches}, so it cannot download from ${host}`,
      fix: `allow it: sandbox: { kind: process, network: [${/^[\w.-]+$/.test(host) ? host : '…'}] } in the manifest, and network in the config`,
    };
  }
}

/** True for a host that no list of the requests allows. */
function isBeyond(host: string, requests: readonly SandboxRequest[]): boolean {
  const lists = requests.flatMap(({ network }) => (network === undefined ? [] : [network]));
  if (lists.every((list) => list.length === 0)) return true;
  return lists.some((list) => !list.some((pattern) => coversHost(pattern, host)));
}

const OWN_SERVER = /\blisten\(|http\.server|createServer|&[ \t]*$|\bPopen\(|\bspawn\(|\bdocker\b/m;

function hostOfScript({ code, requests }: Isolated): Use | undefined {
  for (const match of code.matchAll(DOWNLOADS)) {
    const host = match[1] ?? match[2] ?? '';
    const isLocal = /^(?:localhost|127\.)/.test(host);
    if (
      (isLocal && (OWN_SERVER.test(code) || code.includes('||'))) ||
      !isBeyond(isLocal ? 'localhost' : host, requests)
    )
      continue;
    return { at: match.index, host };
  }
  for (const match of code.matchAll(DOWNLOADS_VARIABLE)) {
    const name = match[1] ?? match[2] ?? '';
    const address = new RegExp(`(?<![\\w.$])${name}\\s*=\\s*f?["'\`]?https?://([\\w.-]+)`).exec(code);
    const host = address?.[1];
    if (host === undefined || /^(?:localhost|127\.)/.test(host) || !isBeyond(host, requests)) continue;
    return { at: match.index, host };
  }
  return undefined;
}

function commandOf({ code, requests }: Isolated): Use | undefined {
  const isListed = requests.some(({ network = [] }) => network.length > 0);
  const direct = isListed ? WITHOUT_PROXY : new RegExp(`${NEEDS_NETWORK.source}|${WITHOUT_PROXY.source}`);
  const match = new RegExp(`${COMMAND}(${direct.source})`).exec(code);
  if (match !== null) return { at: match.index + match[0].lastIndexOf(match[1] ?? ''), host: 'its host' };
  const lists = code.replace(/["'`]\s*,\s*["'`]/g, (gap) => ' '.padEnd(gap.length));
  const quoted = new RegExp(`${QUOTED_COMMAND}(${direct.source})`).exec(lists);
  return quoted === null ? undefined : { at: quoted.index, host: 'its host' };
}

const PROMPT_DOWNLOADS =
  /\b(?:download|fetch|curl|wget|clone|pull)\b[^.!?\n{}]{0,60}?https?:\/\/([\w-]+(?:\.[\w-]+)+)/gi;

/** A prompt that asks for a download by a command. */
function hostOfPrompt({ code, requests }: Isolated): Use | undefined {
  const match = [...code.matchAll(PROMPT_DOWNLOADS)].find(([, host = '']) => isBeyond(host, requests));
  return match === undefined ? undefined : { at: match.index, host: match[1] ?? '' };
}

/** A path in the home, which is empty. */
const HOME =
  /(?:^|[\s;&|(<="'])(?:~\/|["']?\$\{?HOME\}?["']?\/)\.?\w[\w./-]*|\bexpanduser\(\s*["']~\/[\w./-]+|\bPath\.home\(\)\s*\/\s*["'][\w./-]+|\bhomedir\(\)\s*,\s*["'][\w./-]+|process\.env\.HOME\b/gm;

const WRITES_SYSTEM =
  /(?:>\s*|\btee\s+(?:-a\s+)?|\bmkdir\s+(?:-p\s+)?)["']?\/(?:etc|usr|bin|var\/(?:log|lib|cache|run|spool|www))\/|\bopen\(\s*f?["']\/(?:etc|usr|var\/(?:log|lib|cache|run|spool|www))\/[^"'\n]*["']\s*,\s*["'][wax]|\b(?:writeFile|appendFile)(?:Sync)?\(\s*["'`]\/(?:etc|usr|var\/(?:log|lib|cache|run|spool|www))\//;

const READS_VAR =
  /(?:<\s*|\b(?:cat|grep|wc|head|tail|cp|sort|jq|awk)\s[^\n|;&]*?\s?)["']?\/(?:var|home|root|srv|data|mnt|media)\/\w/;

const WRITES_STATES =
  />\s*["']?\$\{?RAYMOND_STATE_DIR\}?["']?\/|\b(?:cp|mv)\s[^\n|;&]*\s["']?\$\{?RAYMOND_STATE_DIR\}?["']?\/?[\w./-]*["']?[ \t]*$/m;

const PARENT_FOLDER =
  /(?:[<>]\s*|\b(?:cat|grep|wc|head|tail|cp|mv|sort|jq|awk|ls|find|tar|tee|mkdir|source|rsync)\s(?:[^\n|;&#]*?\s)?)["']?\.\.\/\w|\b(?:open|readFileSync|writeFileSync|readdirSync|listdir|Path|readFile|writeFile)\(\s*f?["'`]\.\.\/\w/;

function* filesOutside(analysis: Analysis): Generator<FindingDetails> {
  const hasDirectory = analysis.graph.source.parsedManifest?.workingDirectory !== undefined;
  for (const { state, text, code, requests } of isolatedStates(analysis)) {
    if (state.kind !== 'script') continue;
    if (requests.some(({ read = [], write = [] }) => read.length + write.length > 0)) continue;
    const found = homeRead(code) ?? systemUse(code) ?? folderUse(code, hasDirectory);
    if (found === undefined) continue;
    const { at, message } = found;
    yield {
      at: text.at(at + code.slice(at).search(/[^\s;&|(<>="']/)),
      state: state.file,
      message: `in its sandbox, ${message}`,
      fix: 'keep the file in the working directory or in the task folder, or allow its path: read or write in the manifest and in the config',
    };
  }
}

interface Hidden {
  readonly at: number;
  readonly message: string;
}

function homeRead(code: string): Hidden | undefined {
  if (/(?<![\w.])HOME=|\bmkdir\b[^\n]*(?:~\/|\$\{?HOME)/.test(code)) return undefined;
  for (const match of code.matchAll(HOME)) {
    const from = code.lastIndexOf('\n', match.index) + 1;
    const line = code.slice(from, code.indexOf('\n', match.index + match[0].length) >>> 0);
    if (/PATH=|\bexport\s+\w+=|>\s*["']?(?:~|\$\{?HOME)|\|\||-[defrs]\s|exists|mkdir|\?\?/.test(line)) continue;
    return { at: match.index, message: 'the home is empty at the start of each turn, so this file is not there' };
  }
  return undefined;
}

function systemUse(code: string): Hidden | undefined {
  const write = WRITES_SYSTEM.exec(code);
  if (write !== null)
    return { at: write.index, message: 'this script can write only in the working directory and in the task folder' };
  const read = READS_VAR.exec(code);
  return read === null ? undefined : { at: read.index, message: 'this script cannot read this file' };
}

function folderUse(code: string, hasDirectory: boolean): Hidden | undefined {
  const states = hasDirectory ? null : WRITES_STATES.exec(code);
  if (states !== null) return { at: states.index, message: 'the folder of the state can be read, but not written' };
  if (/(?:^|[\s;&|(])(?:cd|pushd)\s|chdir|\bcwd\b/m.test(code)) return undefined;
  const parent = PARENT_FOLDER.exec(code);
  if (parent === null) return undefined;
  return {
    at: parent.index + parent[0].indexOf('../'),
    message: 'this script cannot reach the folder above its working directory',
  };
}

const CREDENTIAL = /^[A-Z]\w*(?:TOKEN|SECRET|PASSWORD|API_?KEY|ACCESS_KEY|CREDENTIALS)$/;

/** A variable with a credential, which a sandbox does not pass unless `env` lists it. */
function* credentialsMissing(analysis: Analysis): Generator<FindingDetails> {
  const environment = analysis.graph.source.parsedManifest?.environment ?? {};
  for (const { state, requests } of isolatedStates(analysis)) {
    if (state.source.kind !== 'script') continue;
    const { raw, script } = state.source;
    const lists = requests.flatMap(({ env }) => (env === undefined ? [] : [env]));
    const passed = attributesPassed(analysis, state.file);
    for (const { name, at } of variablesRead(raw.text, script.shell)) {
      if (!CREDENTIAL.test(name) || name in environment || passed.has(name)) continue;
      if (lists.length > 0 && lists.every((env) => givesVariable({ env }, name))) continue;
      yield {
        at: at(raw),
        state: state.file,
        message: `in its sandbox, this script does not get ${name}: variables with credentials are passed only if env lists them`,
        fix: `write env: [${name}] under sandbox in the manifest and in the config`,
      };
      break;
    }
  }
}

interface Read {
  readonly name: string;
  readonly at: (raw: PositionedText) => Position;
}

type Shell = Extract<StateNode['source'], { readonly kind: 'script' }>['script']['shell'];

function variablesRead(text: string, shell: Shell): readonly Read[] {
  if (shell !== undefined)
    return shell.variables
      .filter(({ name, guarded }) => !guarded && !shell.isSet(name))
      .map(({ name, at }) => ({ name, at: (raw) => raw.at(at) }));
  return [
    ...text.matchAll(/\bos\.environ\[["']([A-Z]\w*)["']\]|\bprocess\.env\.([A-Z]\w*)\b(?!\s*(?:\?|\|\||=(?!=)))/g),
  ].map((match) => ({ name: match[1] ?? match[2] ?? '', at: (raw) => raw.at(match.index) }));
}

/** The rules, for the table of all rules. */
export const SANDBOX_REACH_RULES: readonly Rule[] = [
  {
    id: 'no-network',
    severity: 'warning',
    summary: 'A state needs a host that its sandbox does not allow it to reach.',
    why: 'In a sandbox, a script reaches only the hosts that the key network lists, and a prompt also the API of its model, by HTTP and HTTPS. *.example.com does not include example.com itself. A state cannot loosen the sandbox that the manifest or the config requests.',
    check: withoutNetwork,
  },
  {
    id: 'outside-sandbox',
    severity: 'warning',
    summary:
      'A script in a sandbox uses a file outside of the folders that the sandbox allows, or a variable with a credential that the sandbox does not pass.',
    why: 'In a sandbox, a turn can write only in the working directory and in the task folder, and gets an empty home and an empty /tmp. It gets no variables for credentials. The keys read, write and env of the manifest and of the config allow more.',
    check: (analysis) => [...filesOutside(analysis), ...credentialsMissing(analysis)],
  },
];
