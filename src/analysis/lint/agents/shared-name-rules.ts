// A rule about files that a script looks for under a name that only the process of another script knows.
import { mistakesOf, scriptsOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, Rule } from '../rule.js';
import { namesOfHelpers } from '../files/helper-names.js';
import { isName } from '../files/unique-numbers.js';
import { uniqueUses } from '../files/unique-paths.js';
import { kindOfUse, type UseKind } from '../files/use-kinds.js';

/** The uses of one name in a script, in the order of the text. */
interface NamedFile {
  readonly key: string;
  readonly at: number;
  readonly kinds: readonly UseKind[];
}

const MOST_FILES = 60;
const known = new WeakMap<ScriptState['source'], readonly NamedFile[]>();

function namedFiles(state: ScriptState): readonly NamedFile[] {
  const files = known.get(state.source) ?? filesIn(state);
  known.set(state.source, files);
  return files;
}

function filesIn(state: ScriptState): readonly NamedFile[] {
  const uses = uniqueUses(state);
  const keys = [...new Set(uses.map(({ key }) => key))].filter(isName);
  return keys.slice(0, MOST_FILES).map((key) => {
    const [first] = uses.filter((use) => use.key === key);
    const kinds = uses.filter(({ group }) => group === first?.group).map((use) => kindOfUse(state.file, use));
    return { key, at: first?.at ?? 0, kinds: kinds.filter((kind) => kind !== 'neutral') };
  });
}

/** True for a file that a script reads, or looks for, and that nothing in the script can have written. */
function isOnlyRead({ kinds }: NamedFile): boolean {
  const first = kinds.find((kind) => kind !== 'test');
  return kinds.length > 0 && !kinds.includes('write') && (first === undefined || first === 'read');
}

/** True for a file that a script writes, or gives to a program that may write it. */
function isWritten(file: NamedFile): boolean {
  return file.kinds.some((kind) => kind === 'write' || kind === 'other') && !isOnlyRead(file);
}

function* namesOfOthers(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  for (const { key, at } of namedFiles(state).filter(isOnlyRead)) {
    const writer = scriptsOf(analysis).find(
      (other) => other !== state && namedFiles(other).some((file) => file.key === key && isWritten(file)),
    );
    if (writer === undefined) continue;
    yield {
      at,
      message: `${writer.file} writes its file under a name that differs for each process or turn; this script builds another name`,
      fix: 'keep the file under a fixed name in the folder that RAYMOND_TASK_FOLDER names, or pass its path as an attribute',
    };
    return;
  }
}

/** Rules about names that only one process knows. */
export const SHARED_NAME_RULES: readonly Rule[] = [
  {
    id: 'name-of-other-process',
    severity: 'warning',
    summary:
      'A script looks for a file whose name contains the process id, the turn id or a random number of this script, but another script writes the file, so the name contains another id or number.',
    why: 'Each script is a process of its own, so $$ differs in each of them, and so do $RANDOM, the time and RAYMOND_TURN_ID. RAYMOND_TASK_FOLDER names a folder that all states of an agent share.',
    check: (analysis) => [
      ...mistakesOf(analysis, (state) => namesOfOthers(analysis, state)),
      ...mistakesOf(analysis, (state) => namesOfHelpers(analysis, state)),
    ],
  },
];
