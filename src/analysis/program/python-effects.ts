// What calls of a Python program do to its output, and texts whose placeholders are filled at run time.
import { TracedText } from '../position.js';
import { computedText, type Effect, type Expression } from './program.js';
import { isOpenCommand } from '../shell/commands.js';

const STDOUT = /^(?:print|pprint|(?:sys\.)?stdout\.(?:buffer\.)?write)$/;
const SPAWNS = /^(?:subprocess\.(?:run|call|check_call|Popen)|os\.(?:system|exec\w*|spawn\w*|popen)|pty\.spawn)$/;

/** Modules whose functions print nothing on stdout by themselves. */
export const QUIET =
  /^(?:__future__|abc|argparse|ast|asyncio|base64|bisect|bs4|calendar|collections|concurrent|configparser|contextlib|copy|csv|ctypes|dataclasses|datetime|dateutil|decimal|difflib|dotenv|email|enum|errno|fcntl|fnmatch|fractions|functools|getpass|glob|gzip|hashlib|heapq|hmac|html|http|httpx|inspect|io|ipaddress|itertools|jinja2|json|locale|logging|lxml|markdown|math|mimetypes|numpy|operator|os|pandas|pathlib|pickle|platform|psutil|pwd|queue|random|re|requests|secrets|select|shlex|shutil|signal|smtplib|socket|sqlite3|ssl|stat|statistics|string|struct|subprocess|sys|tarfile|tempfile|textwrap|threading|time|tomllib|toml|traceback|types|typing|unicodedata|urllib|urllib3|uuid|warnings|xml|yaml|zipfile|zlib|zoneinfo)$/;

/** What a call prints; `foreign` = the names that other modules define. */
export function effectOf(call: Expression & { readonly kind: 'call' }, foreign: ReadonlySet<string>): Effect {
  const { name, named } = call;
  if (STDOUT.test(name)) {
    const file = named.get('file');
    if (file === undefined || (file.kind === 'name' && file.name === 'sys.stdout')) return 'stdout';
    return file.kind === 'name' && /stderr$/.test(file.name) ? 'stderr' : 'file';
  }
  if (/stderr\.write$/.test(name)) return 'stderr';
  if (/^(?:sys\.exit|exit|quit|os\._exit|SystemExit)$/.test(name)) return 'exit';
  if (name === 'os.abort') return 'fail';
  if (SPAWNS.test(name)) return isSilentProgram(call) ? 'silent' : 'open';
  return foreign.has(name.split('.')[0] ?? '') ? 'open' : 'silent';
}

function isSilentProgram({ args, named }: Expression & { readonly kind: 'call' }): boolean {
  if (named.has('stdout') || named.has('capture_output')) return true;
  const [command] = args;
  const words = command?.kind === 'other' ? command.parts : command === undefined ? [] : [command];
  const texts = words.flatMap((word) => (word.kind === 'text' ? word.text.text.split(' ') : []));
  const traced = texts.slice(1).map((word) => {
    const text = new TracedText();
    text.add(word, 0);
    return text;
  });
  return texts[0] !== undefined && !isOpenCommand({ name: texts[0], args: traced, stdin: [], at: 0 });
}

/** A text whose placeholders are known only at run time. */
export function formatted(text: Expression & { readonly kind: 'text' | 'join' }, placeholder: RegExp): Expression {
  if (text.kind === 'join')
    return {
      ...text,
      parts: text.parts.map((part) =>
        part.kind === 'text' || part.kind === 'join' ? formatted(part, placeholder) : part,
      ),
    };
  const filled = new TracedText();
  let from = 0;
  for (const { index, 0: whole } of text.text.text.matchAll(placeholder)) {
    filled.append(text.text.slice(from, index));
    filled.append(computedText(text.text.offsetOf(index)));
    from = index + whole.length;
  }
  filled.append(text.text.slice(from));
  return { ...text, text: filled };
}
