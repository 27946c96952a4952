// A rule about files of a package that have the name of a module of Python or Node.js: a script gets the wrong one of the two.
import type { SourceFile } from '../../source.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { codeOf } from '../scripts/program-code.js';

/** Modules of Python that a script gets even if a file beside it has their name, because they are built in or already loaded. */
const PYTHON_FIRST = words('sys builtins time itertools gc errno marshal posix os io abc stat codecs site posixpath');

const PYTHON = words(
  'argparse array ast asyncio base64 bisect bz2 calendar cmath code collections colorsys configparser contextlib copy csv ctypes curses dataclasses datetime decimal difflib dis email enum fileinput fnmatch fractions ftplib functools getpass gettext glob graphlib gzip hashlib heapq hmac html http imaplib importlib inspect ipaddress json keyword linecache locale logging lzma mailbox math mimetypes mmap multiprocessing netrc numbers operator optparse pathlib pdb pickle pkgutil platform plistlib poplib pprint profile pstats queue random re readline reprlib resource sched secrets select selectors shelve shlex shutil signal smtplib socket sqlite3 ssl statistics string struct subprocess symtable tarfile tempfile test textwrap threading timeit token tokenize tomllib trace traceback types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser xml zipfile zlib zoneinfo',
);

const NODE = words(
  'assert buffer cluster console constants crypto dgram dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder timers tls tty url util v8 vm wasi worker_threads zlib',
);

/** Names that modules of Node.js export. */
const NODE_EXPORTS =
  /^(?:join|resolve|basename|dirname|extname|relative|isAbsolute|normalize|sep|format|parse|inspect|promisify|styleText|parseArgs|isDeepStrictEqual|URL|URLSearchParams|fileURLToPath|pathToFileURL|EventEmitter|once|on|createHash|createHmac|random\w+|read\w*|write\w*|append\w*|stat\w*|mkdir\w*|rm\w*|exists\w*|copy\w*|rename\w*|unlink\w*|access\w*|watch|promises|constants|request|get|createServer|cpus|tmpdir|platform|homedir|hostname|EOL|pipeline|finished|Readable|Writable|Transform|equal|deepEqual|ok|strictEqual|deepStrictEqual|throws|env|argv|exit|log|error|lookup|performance|Worker|setTimeout|createInterface|g(?:un)?zip\w*|inflate\w*|deflate\w*|stringify|escape)$/;

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

type Script = Extract<SourceFile, { readonly kind: 'script' }>;

function* hidden({ graph }: Analysis): Generator<FindingDetails> {
  const scripts = [...graph.source.files.values()].filter((file) => file.kind === 'script');
  for (const helper of scripts) {
    const [, module = '', extension = ''] = /^([a-z]\w*)\.(py|js|ts)$/.exec(helper.file) ?? [];
    const isPython = extension === 'py';
    if (!(isPython ? PYTHON.has(module) || PYTHON_FIRST.has(module) : NODE.has(module))) continue;
    for (const script of scripts) {
      const mistakes = isPython ? importsOf(script, { helper, module }) : requiresOf(script, { helper, module });
      for (const { at, ...mistake } of mistakes)
        yield { at: script.raw.at(at), ...(graph.states.has(script.file) ? { state: script.file } : {}), ...mistake };
    }
  }
}

interface Hidden {
  readonly helper: Script;
  readonly module: string;
}

type Mistake = Pick<FindingDetails, 'message' | 'fix'> & { readonly at: number };

function* importsOf({ file, raw }: Script, { helper, module }: Hidden): Generator<Mistake> {
  if (!file.endsWith('.py')) return;
  const code = codeOf(raw.text, 'python');
  const fix = `rename ${helper.file}, for example to my_${helper.file}`;
  const pattern = new RegExp(
    `^[ \\t]*(?:import[ \\t]+${module}(?:[ \\t]+as[ \\t]+(\\w+))?[ \\t]*$|from[ \\t]+${module}[ \\t]+import[ \\t]+([^\\n#]+))`,
    'gm',
  );
  for (const { index, 0: line, 1: as = module, 2: list } of code.matchAll(pattern)) {
    const at = index + line.search(/\S/);
    const names = list === undefined ? [] : namesIn(list);
    const isFirst = PYTHON_FIRST.has(module);
    if (isFirst && names.some((name) => defines(helper, name) && file !== helper.file))
      yield { at, message: `this gets Python's own module ${module}, not ${helper.file}`, fix };
    if (isFirst) continue;
    if (file === helper.file) {
      yield { at, message: `${file} imports itself here, because it hides Python's module ${module}`, fix };
      continue;
    }
    const used =
      list === undefined
        ? [...code.matchAll(new RegExp(`(?<![\\w.])${as}\\.(\\w+)`, 'g'))].map(([, name = '']) => name)
        : names;
    const missing = used.find((name) => !defines(helper, name));
    if (missing !== undefined)
      yield {
        at,
        message: `this gets ${helper.file}, which hides Python's module ${module} and has no ${missing}`,
        fix,
      };
  }
}

/** The names of an import: `a, b as c`. */
function namesIn(list: string): readonly string[] {
  return [...list.matchAll(/(?:^|[(,{])\s*([A-Za-z_]\w*)/g)].map(([, name = '']) => name);
}

/** True if a file may have a name. */
function defines({ script, raw }: Script, name: string): boolean {
  return script.program?.names.defined.has(name) !== false || /\bimport\s+\*|__getattr__|globals\(\)/.test(raw.text);
}

/** `require("util")` gets the module of Node.js even if there is a file `util.js`. */
function* requiresOf({ file, raw }: Script, { helper, module }: Hidden): Generator<Mistake> {
  if (file === helper.file || !/\.[jt]s$/.test(file)) return;
  const pattern = new RegExp(
    `\\{([^{}]{1,300})\\}\\s*=\\s*require\\(["']${module}["']\\)|\\bimport\\s*\\{([^{}]{1,300})\\}\\s*from\\s*["']${module}["']`,
    'g',
  );
  for (const { index, 1: required, 2: imported } of raw.text.matchAll(pattern)) {
    const names = namesIn(`{${required ?? imported ?? ''}`);
    const own = names.find((name) => helper.script.program?.names.defined.has(name) === true);
    if (own === undefined || names.some((name) => NODE_EXPORTS.test(name))) continue;
    yield {
      at: index,
      message: `this gets the module ${module} of Node.js, which has no ${own}, not ${helper.file}`,
      fix: `write "./${helper.file}"`,
    };
  }
}

/** The rule about the names of modules. */
export const MODULE_RULES: readonly Rule[] = [
  {
    id: 'hidden-module',
    severity: 'warning',
    summary:
      'A file of the package has the same name as a module of Python or Node.js, so a script imports the file instead of the module, or the module instead of the file.',
    why: 'Python looks for a module first in the folder of the script, so a file csv.py there hides the module csv. Node.js looks first for its own modules, so require("util") never gets a file util.js; require("./util") does.',
    check: hidden,
  },
];
