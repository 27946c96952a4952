// Converts the text of a YAML package to the files of a folder: prompts get their keys as frontmatter, scripts get
// their settings as a header, and the keys next to `states` become workflow.yaml. Reports everything that a folder
// cannot hold, with lines.
import { policyNames } from '../../protocol/language/policy.js';
import { literalTargets } from '../../protocol/language/resolve.js';
import { nameInScope, packageStem } from '../../protocol/scope.js';
import { ScopeError } from '../error.js';
import { MANIFEST_FILE, parseManifest } from '../manifest.js';
import type { Packed, PackedFile } from '../packed.js';
import { YamlText } from '../yaml-document.js';
import { BODY_KEYS, parseYaml } from '../yaml.js';
import { isProgram, type Converted, type PackageFile, type PackageFiles } from './files.js';
import { bare, HEADER_KEYS, isEqual, promptText, scriptText } from './state-text.js';
import { EXECUTABLE_KEY, regionsOf, type StateRegion, type YamlRegions } from './yaml-regions.js';

/** Converts the YAML package `text`; messages call it `file`. Throws a `ScopeError` when it is not a package. */
export function filesOfYaml(text: string, file: string): Converted<PackageFiles> {
  // When every line ends as on Windows, the editor chose that, not the author of the texts.
  const plain = /(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n');
  const packed = parseYaml(plain, file);
  const regions = regionsOf(plain, (line) => `${file}:${line}`);
  if (regions !== undefined) return new Conversion({ file, packed, regions }).converted();
  const line = new YamlText(plain, { positionText: String }).top().find(({ key }) => key === 'states')?.line ?? 1;
  const problem = `${file}:${line}: states: write the states below each other, without braces, << and aliases`;
  return { kind: 'problems', problems: [problem] };
}

interface Source {
  readonly file: string;
  readonly packed: Omit<Packed, 'sha256'>;
  readonly regions: YamlRegions;
}

/** The keys of a script that its header can hold, too. */
const SCRIPT_KEYS: readonly string[] = [...BODY_KEYS, ...HEADER_KEYS];

class Conversion {
  private readonly files = new Map<string, PackageFile>();
  private readonly problems: string[] = [];

  constructor(private readonly source: Source) {}

  converted(): Converted<PackageFiles> {
    for (const region of this.source.regions.states) this.state(region);
    this.manifest();
    this.targets();
    if (this.problems.length === 0) this.programs();
    if (this.problems.length === 0) this.comments();
    if (this.problems.length > 0) return { kind: 'problems', problems: this.problems };
    return { kind: 'converted', value: this.files };
  }

  private problem(line: number, text: string): void {
    this.problems.push(`${this.source.file}:${line}: ${text}`);
  }

  private state(region: StateRegion): void {
    const { files } = this.source.packed;
    const prompt = files.get(`${region.entry.key}.md`);
    if (prompt !== undefined) return this.prompt(region, prompt);
    const { yaml } = this.source.regions;
    const table = region.entries.find(({ key, value }) => key === 'sandbox' && yaml.entriesOf(value) !== undefined);
    if (table !== undefined) {
      const words = 'write sandbox: KIND or KIND:PROFILE, with a profile of the config';
      this.problem(table.line, `the header of a script cannot hold the keys of a sandbox; ${words}`);
    }
    for (const key of BODY_KEYS) {
      const name = `${region.entry.key}.${key}`;
      const script = files.get(name);
      if (script !== undefined && table === undefined) this.script(region, name, script);
    }
    for (const { key, value, line } of region.entries) {
      if (SCRIPT_KEYS.includes(key) || yaml.isNothing(value)) continue;
      this.problem(line, `the header of a script cannot hold the key ${key}; remove it, or make it a comment`);
    }
  }

  private prompt(region: StateRegion, prompt: PackedFile): void {
    const { yaml } = this.source.regions;
    if (prompt.policy?.kind === 'invalid') {
      for (const { line, text } of prompt.policy.problems) this.problem(line, text);
      return;
    }
    const retries = region.entries.find(({ key, value }) => key === 'retries' && !yaml.isNothing(value));
    if (retries !== undefined) this.problem(retries.line, 'the frontmatter of a prompt has no key retries; remove it');
    const name = `${region.entry.key}.md`;
    const text = promptText({ region, yaml }, prompt);
    if (text !== undefined) this.add(name, text);
    else this.problem(region.entry.line, `${name} cannot hold these keys as frontmatter; write one key per line`);
  }

  private script(region: StateRegion, name: string, script: PackedFile): void {
    const text = scriptText({ region, yaml: this.source.regions.yaml }, name, script);
    if (text !== undefined) this.add(name, text);
    else {
      const what = `${name} cannot hold these keys and comments as the header of its script`;
      this.problem(region.entry.line, `${what}; look for "raymond:" in both, and remove one`);
    }
  }

  private add(name: string, text: string): void {
    const content = Buffer.from(text);
    this.files.set(name, { content, executable: isProgram(name, content) });
  }

  private manifest(): void {
    const { file, packed, regions } = this.source;
    const text = regions.beside;
    const at = text.split('\n').findIndex((line) => !/^(---)?\s*$/.test(line));
    if (at < 0) return;
    const others = 'the keys other than "states"';
    if (packed.manifest?.manifest.id === undefined) {
      const example = `"id: ${packageStem(file)}"`;
      this.problem(
        at + 1,
        `a folder keeps ${others} in ${MANIFEST_FILE}, which needs an id; add ${example} at the top`,
      );
      return;
    }
    try {
      const read = parseManifest(text, MANIFEST_FILE);
      if (isEqual(read?.manifest, packed.manifest.manifest)) this.add(MANIFEST_FILE, text);
      else this.problem(at + 1, `${others} use << or aliases that a folder cannot keep; write the values out`);
    } catch (error) {
      if (!(error instanceof ScopeError)) throw error;
      this.problem(at + 1, `${others} are not a valid ${MANIFEST_FILE}: ${error.message}`);
    }
  }

  /** Which files are programs, when the package lists them. */
  private programs(): void {
    const { yaml, top } = this.source.regions;
    const key = top.find((entry) => entry.key === EXECUTABLE_KEY);
    if (key === undefined) return;
    const names = yaml.itemsOf(key.value)?.map((item) => yaml.plain(item));
    const stranger = names?.find((name) => typeof name !== 'string' || !this.files.has(name));
    if (names === undefined || stranger !== undefined) {
      const what = names === undefined ? 'expected a list of files' : `there is no file ${JSON.stringify(stranger)}`;
      this.problem(key.line, `${EXECUTABLE_KEY}: ${what}; name states with their extensions, such as BUILD.sh`);
      return;
    }
    for (const [name, { content }] of this.files) this.files.set(name, { content, executable: names.includes(name) });
  }

  /** A YAML file may name a target with any extension; a folder needs the extension of the file. */
  private targets(): void {
    const states = new Set(this.source.regions.states.map(({ entry }) => entry.key));
    const { files } = this.source.packed;
    for (const [file, { content, policy, lineOf = (line = 1): number => line }] of files) {
      const text = content.toString();
      const allowed = policy?.kind === 'policy' ? policyNames(policy.policy) : [];
      for (const target of new Set([...literalTargets(text), ...allowed])) {
        const name = nameInScope({ kind: 'yaml' }, target);
        if (name === target || !states.has(name) || files.has(target)) continue;
        const at = text.split('\n').findIndex((line) => line.includes(target));
        const line = policy === undefined && at >= 0 ? lineOf(at + 1) : lineOf();
        this.problem(line, `${file} names ${target}, but the file in the folder is called ${name}; write ${name}`);
      }
    }
  }

  private comments(): void {
    const { regions } = this.source;
    const texts = [...this.files.values()].map(({ content }) => content.toString()).join('\n');
    for (const { text, line } of [regions, ...regions.states].flatMap(({ comments }) => comments)) {
      if (!texts.includes(bare(text))) this.problem(line, `a folder cannot keep the comment "${text}"; remove it`);
    }
  }
}
