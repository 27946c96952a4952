// Round trips of packages of any content: folder → YAML → folder byte by byte, YAML → folder → YAML in meaning, with every comment.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readScriptHeader } from '../../../src/protocol/language/state-file.js';
import { parseFrontmatter } from '../../../src/packages/frontmatter.js';
import { parseManifest } from '../../../src/packages/manifest.js';
import { parseYaml } from '../../../src/packages/yaml.js';
import type { PackageFiles } from '../../../src/packages/convert/files.js';
import { filesOfYaml } from '../../../src/packages/convert/from-yaml.js';
import { yamlOfFiles } from '../../../src/packages/convert/to-yaml.js';

const word = fc.constantFrom(
  'a',
  'B',
  'go on',
  '# x',
  ': y',
  "it's",
  '"q"',
  '\\n',
  '- z',
  '{',
  '|',
  'é',
  '🙂',
  '<goto>B</goto>',
);
const blank = fc.constantFrom('', ' ', '  ', '\t');
const line = fc
  .tuple(blank, fc.array(word, { maxLength: 3 }), blank)
  .map(([a, words, b]) => `${a}${words.join(' ')}${b}`);
const body = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.constantFrom('\n', '\n', '\r\n'), fc.boolean())
  .map(([lines, end, ended]) => `${lines.join(end)}${ended ? end : ''}`);
const comment = fc.constantFrom('# why', '  # deeper', '#', '# a: b', '');
const key = fc.constantFrom(
  'model: haiku',
  'model: "opus" # dear',
  'effort: low',
  'timeout: 90',
  'timeout: 1.5m',
  'force_implicit: true',
  'limit: [a, b]',
  'x-note: {a: [b, c]}',
  'author: >-\n  two\n  lines',
  'note: |\n  # no comment\n\n    deep',
  'allowed_transitions:\n  - tag: goto # on\n    target: B\n  - { tag: result }',
);
const keyName = (text: string): string => /^[\w-]+/.exec(text)?.[0] ?? '';
const keys = fc
  .uniqueArray(key, { maxLength: 4, selector: keyName })
  .chain((all) =>
    fc.array(comment, { minLength: all.length + 1, maxLength: all.length + 1 }).map((remarks) => ({ all, remarks })),
  );
const lines = keys.map(({ all, remarks }) =>
  remarks.flatMap((remark, at) => [remark, ...(all[at] === undefined ? [] : [all[at]])]),
);

const name = fc.constantFrom('1_START', 'A', 'B', 'PLAN-2', 'some state', 'ü', '7', 'null');
const prompt = fc
  .tuple(lines, body, fc.boolean())
  .map(([head, text, fenced]) => (fenced ? `---\n${head.join('\n')}\n---\n${text}` : text));
const file = fc.tuple(
  name,
  fc.oneof(
    fc.record({ extension: fc.constant('md'), text: prompt }),
    fc.record({ extension: fc.constantFrom('sh', 'bat', 'ps1'), text: body }),
  ),
  fc.boolean(),
);
const manifest = lines.map(
  (all) => `id: x\n${all.filter((own) => !/^(model|effort|timeout|allowed|force)/.test(own)).join('\n')}\n`,
);
const folderFiles = fc
  .tuple(fc.uniqueArray(file, { minLength: 1, maxLength: 4, selector: ([stem]) => stem }), fc.option(manifest))
  .map(([all, top]): PackageFiles => {
    const states = all.map(
      ([stem, { extension, text }, executable]) =>
        [`${stem}.${extension}`, { content: Buffer.from(text), executable }] as const,
    );
    const more = top === null ? [] : [['workflow.yaml', { content: Buffer.from(top), executable: false }] as const];
    return new Map([...states, ...more]);
  });

function sorted(files: PackageFiles): unknown {
  return [...files]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { content, executable }]) => [path, content.toString(), executable]);
}

test('a folder becomes a YAML file and the same folder again, or every obstacle is reported', () => {
  const outcomes = { converted: 0, problems: 0 };
  fc.assert(
    fc.property(folderFiles, (files) => {
      const yaml = yamlOfFiles(files, (path, at) => `${path}:${at ?? 0}`);
      outcomes[yaml.kind] += 1;
      if (yaml.kind === 'problems') {
        expect(yaml.problems.every((problem) => [...files.keys()].some((path) => problem.startsWith(path)))).toBe(true);
        return;
      }
      const back = filesOfYaml(yaml.value, 'x.yaml');
      expect(back.kind === 'converted' && sorted(back.value)).toEqual(sorted(files));
    }),
    { numRuns: 100 },
  );
  expect(outcomes.converted).toBeGreaterThan(outcomes.problems);
});

const state = fc.oneof(
  fc.record({ head: lines, text: body, style: fc.constantFrom('block', 'quoted', 'flow', 'first') }).map(promptState),
  fc
    .record({
      text: body.filter((text) => text.trim() !== ''),
      timeout: fc.option(fc.constantFrom('90', '1.5m')),
      retries: fc.option(fc.constantFrom('2')),
      remark: comment,
    })
    .map(({ text, timeout, retries, remark }) =>
      [
        ...(timeout === null ? [] : [`    timeout: ${timeout}`]),
        `    ${remark.trim()}`,
        ...(retries === null ? [] : [`    retries: ${retries} # tries`]),
        `    sh: ${JSON.stringify(text)}`,
      ].join('\n'),
    ),
);

function promptState({
  head,
  text,
  style,
}: {
  readonly head: readonly string[];
  readonly text: string;
  readonly style: string;
}): string {
  const own = head.flatMap((part) => part.split('\n')).map((part) => (part === '' ? '' : `    ${part}`));
  const said = text.trim() === '' ? `x${text}` : text;
  if (style === 'flow') return `    { prompt: ${JSON.stringify(said)}, model: haiku, # in braces\n      y: [z] }`;
  const block = stringify({ prompt: said.replaceAll('\r', '') }, { blockQuote: 'literal', lineWidth: 0, indent: 2 });
  const prompt =
    style === 'quoted'
      ? [`    prompt: ${JSON.stringify(said)} # quoted`]
      : block
          .trimEnd()
          .split('\n')
          .map((part) => (part === '' ? '' : `    ${part}`));
  return (style === 'first' ? [...prompt, ...own] : [...own, ...prompt]).join('\n');
}

const yamlText = fc
  .tuple(
    fc.uniqueArray(fc.tuple(name, state, comment), { minLength: 1, maxLength: 4, selector: ([stem]) => stem }),
    fc.option(manifest),
    fc.boolean(),
  )
  .map(([states, top, below]) => {
    const beside = top ?? '';
    const all = states.map(
      ([stem, text, remark]) =>
        `  ${remark.trim()}\n  ${JSON.stringify(stem)}: ${remark.trim() === '' ? '' : '# named'}\n${text}\n`,
    );
    return below ? `states:\n${all.join('')}${beside}` : `${beside}states: # these\n${all.join('')}`;
  });

/** What a package says: the same for a YAML file and for the folder that it became. */
function meaningOfYaml(text: string): unknown {
  const { files, manifest: top } = parseYaml(text, 'x.yaml');
  const states = [...files].map(([path, { content, policy, settings = {} }]) => {
    const body = content.toString();
    if (policy?.kind === 'policy') return [path, body.replaceAll('\r\n', '\n'), withoutLines(policy.policy)];
    const header = readScriptHeader(body, path);
    return [path, body, header.kind === 'header' ? { ...header.settings, ...settings } : header];
  });
  return { states: states.sort(), manifest: top?.manifest };
}

function meaningOfFolder(files: PackageFiles): {
  readonly states: readonly (readonly unknown[])[];
  readonly manifest: unknown;
} {
  const states = [...files].flatMap(([path, { content }]) => {
    const text = content.toString();
    if (path === 'workflow.yaml') return [];
    if (path.endsWith('.md')) {
      const read = parseFrontmatter(text, String);
      return [[path, ...(read.kind === 'prompt' ? [read.body, withoutLines(read.policy)] : [read])]];
    }
    const header = readScriptHeader(text, path);
    return [[path, text, header.kind === 'header' ? header.settings : header]];
  });
  const top = files.get('workflow.yaml');
  const read = top === undefined ? undefined : parseManifest(top.content.toString(), 'workflow.yaml');
  return { states: states.sort(), manifest: read?.manifest };
}

function withoutLines(policy: object): unknown {
  return JSON.parse(JSON.stringify(policy, (field, value: unknown) => (field === 'line' ? undefined : value)));
}

test('a YAML file becomes a folder that says the same, with every comment, and a YAML file again', () => {
  const outcomes = { converted: 0, problems: 0 };
  fc.assert(
    fc.property(yamlText, (text) => {
      const converted = filesOfYaml(text, 'x.yaml');
      outcomes[converted.kind] += 1;
      if (converted.kind === 'problems') {
        expect(converted.problems.every((problem) => /^x\.yaml:\d+: /.test(problem))).toBe(true);
        return;
      }
      const wanted = meaningOfYaml(text) as ReturnType<typeof meaningOfFolder>;
      const folder = meaningOfFolder(converted.value);
      expect(folder.states.map(([path, , settings]) => [path, settings])).toEqual(
        wanted.states.map(([path, , settings]) => [path, settings]),
      );
      // A script has its settings and comments above the text that it had.
      for (const [at, [path, said]] of folder.states.entries()) {
        const own = String(wanted.states[at]?.[1]);
        if (String(path).endsWith('.md')) expect(said).toBe(own);
        else expect(String(said).endsWith(own)).toBe(true);
      }
      if (folder.manifest !== undefined) expect(folder.manifest).toEqual(wanted.manifest);
      const all = [...converted.value.values()].map(({ content }) => content.toString()).join('\n');
      for (const remark of ['# why', '# tries', '# in braces', '# quoted', '# named', '# these', '# dear', '# on'])
        expect([remark, countOf(all, remark)]).toEqual([remark, countOf(text, remark)]);

      const again = yamlOfFiles(converted.value, (path) => path);
      expect(again).toEqual({ kind: 'converted', value: expect.any(String) });
      if (again.kind === 'converted') {
        const back = filesOfYaml(again.value, 'x.yaml');
        expect(back.kind === 'converted' && sorted(back.value)).toEqual(sorted(converted.value));
      }
    }),
    { numRuns: 100 },
  );
  expect(outcomes.converted).toBeGreaterThan(outcomes.problems);
});

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
