// A prompt of a YAML scope as a prompt file: its policy keys as frontmatter, and the line in the YAML of every line in it.
// The keys are not judged here: the reader of frontmatter does that.
import type { PackedFile } from './packed.js';
import type { YamlEntry, YamlText } from './yaml-document.js';

/** A prompt's parts: its state, the keys for its frontmatter, its text and where that stands. */
interface PromptSource {
  readonly entry: YamlEntry;
  readonly policy: readonly YamlEntry[];
  readonly body: { readonly text: string; readonly line: number; readonly inOrder: boolean };
}

interface Line {
  readonly text: string;
  readonly line: number;
}

const FENCE = '---';

/** The file `NAME.md` of a prompt. */
export function promptFile(yaml: YamlText, { entry, policy, body }: PromptSource): PackedFile {
  const head = frontmatter(yaml, { entry, policy, fenced: body.text.startsWith(FENCE) });
  const text = head.map((line) => `${line.text}\n`).join('') + body.text;
  const lineOf = (line: number): number => {
    const above = head[line - 1];
    if (above !== undefined) return above.line;
    return body.inOrder ? body.line + line - head.length - 1 : body.line;
  };
  return { content: Buffer.from(text), executable: false, lineOf };
}

/** No lines without keys, unless the prompt itself begins with a fence and would be taken for a frontmatter. */
function frontmatter(
  yaml: YamlText,
  {
    entry,
    policy,
    fenced,
  }: { readonly entry: YamlEntry; readonly policy: readonly YamlEntry[]; readonly fenced: boolean },
): readonly Line[] {
  if (policy.length === 0 && !fenced) return [];
  const fence: Line = { text: FENCE, line: entry.line };
  return [fence, ...policy.flatMap((key) => keyLines(yaml, key)), fence];
}

function keyLines(yaml: YamlText, { key, value, line }: YamlEntry): readonly Line[] {
  const items = yaml.itemsOf(value);
  if (items === undefined) return [{ text: `${key}: ${flow(yaml.plain(value))}`, line }];
  if (items.length === 0) return [{ text: `${key}: []`, line }];
  const lines = items.map((item) => ({
    text: `  - ${flow(yaml.plain(item))}`,
    line: yaml.places.lineOf(item) ?? line,
  }));
  return [{ text: `${key}:`, line }, ...lines];
}

/** JSON is YAML; a plain word is easier to read. */
function flow(value: unknown): string {
  const plain = typeof value === 'string' && /^[A-Za-z0-9][\w.-]*$/.test(value) && !/^null$/i.test(value);
  return plain ? value : JSON.stringify(value);
}
