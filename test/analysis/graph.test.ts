// The graph of a package: its states, its transitions, and their positions.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { allEdges, graphOf, reachableFrom, type Edge, type Graph } from '../../src/analysis/graph.js';
import { readSource } from '../../src/analysis/source.js';
import { openScope } from '../../src/packages/open.js';
import { scopeAt } from '../../src/protocol/scope.js';
import { zipOf } from '../packages/zip-file.js';
import { folder } from '../support/folder.js';

const SAMPLES = fileURLToPath(new URL('../../workflows', import.meta.url));

async function graphAt(path: string): Promise<Graph> {
  const scope = scopeAt(path);
  return graphOf(await readSource(await openScope(scope), { scope, platform: 'unix' }));
}

/** The graph of a folder with these files. */
async function graphIn(files: Readonly<Record<string, string>>): Promise<Graph> {
  return await graphAt(await folder(files));
}

function told({ from, tag, role, to, at }: Edge): string {
  const target = {
    state: () => (to.kind === 'state' ? to.file : ''),
    missing: () => (to.kind === 'missing' ? `?${to.name}` : ''),
    workflow: () => (to.kind === 'workflow' ? to.specifier : ''),
    end: () => 'end',
    computed: () => '…',
  }[to.kind]();
  return `${from} ${tag}${role === 'target' ? '' : ` ${role}`} ${target} ${at.line}:${at.column}`;
}

const edgesOf = (graph: Graph): readonly string[] => allEdges(graph).map(told);

describe('a prompt', () => {
  test('has the transitions of its policy, with the line and column of each name', async () => {
    const graph = await graphIn({
      'START.md':
        '---\nmodel: haiku\nallowed_transitions:\n  - { tag: goto, target: NEXT }\n  - tag: call\n    target: "NEXT.md"\n    return: START\n---\nSay <goto>OTHER</goto>.\n',
      'NEXT.md': 'End with <result>x</result>.\n',
    });
    expect(edgesOf(graph)).toEqual([
      'NEXT.md result end 1:10',
      'START.md goto NEXT.md 4:26',
      'START.md call NEXT.md 6:14',
      'START.md call return START.md 7:13',
    ]);
  });

  test('without a policy has the transitions that its text names', async () => {
    const graph = await graphIn({
      'START.md': 'Choose:\n\n<goto input="x">A</goto> or\n  <ask next="A" timeout="1h" timeout_next="B">who?</ask>\n',
      'A.md': '',
    });
    expect(edgesOf(graph)).toEqual([
      'START.md goto A.md 3:17',
      'START.md ask next A.md 4:14',
      'START.md ask timeout ?B 4:44',
    ]);
  });

  test('with a variable as target has a computed transition', async () => {
    const { states } = await graphIn({ 'START.md': '<goto>{{input}}</goto>' });
    expect(states.get('START.md')).toMatchObject({ hasUnknownTargets: true, edges: [{ to: { kind: 'computed' } }] });
  });
});

describe('a script', () => {
  test.each<[string, string, readonly string[]]>([
    ['echo with escaped quotes', 'echo "<goto input=\\"$x\\">A</goto>"', ['goto A.sh 1:26']],
    ['echo in single quotes', 'echo \'<fork next="A" item="1">B</fork>\'', ['fork ?B 1:31', 'fork next A.sh 1:19']],
    ['printf with its arguments', "printf '<%s>%s</goto>\\n' goto A", ['goto A.sh 1:31']],
    ['a here-document', 'cat <<END\n<goto>A</goto>\nEND\n', ['goto A.sh 2:7']],
    ['a literal here-document', "cat <<-'END'\n\t<goto>$A</goto>\n\tEND\n", ['goto ?$A 2:8']],
    [
      'several branches',
      'if x; then echo "<goto>A</goto>"; else\n  echo "<result>no</result>"; fi',
      ['goto A.sh 1:24', 'result end 2:9'],
    ],
    ['a tag in pieces', 'echo "<result>"\ncat notes\necho "</result>"', ['result end 1:7']],
    ['a text stored in a variable', 'tag="<goto>A</goto>"\necho "$tag"', ['goto A.sh 1:12']],
    ['a text from a substitution', 'tag=$([ -f x ] && echo "<goto>A</goto>")\necho "$tag"', ['goto A.sh 1:31']],
    ['a function of its own', 'end() { echo "<goto>$1</goto>"; }\nend A', ['goto A.sh 2:5']],
    ['quotes that are joined', 'echo \'<goto input="\'"$x"\'">A</goto>\'', ['goto A.sh 1:28']],
  ])('that writes %s is understood', async (_what, text, edges) => {
    const graph = await graphIn({ 'START.sh': text, 'A.sh': '' });
    expect(edgesOf(graph)).toEqual(edges.map((edge) => `START.sh ${edge}`));
  });

  test.each<[string, string]>([
    ['a comment', '# <goto>A</goto>\ntrue # <goto>A</goto>'],
    ['a comment in a branch', 'if x; then # <goto>A</goto>\n  :\nfi'],
    ['output to stderr', 'echo "<goto>A</goto>" >&2'],
    ['output into a file', 'cat >prompt.md <<END\n<goto>A</goto>\nEND'],
    ['a search pattern', "grep -c '<goto>A</goto>' notes"],
    ['a case pattern', 'case $x in *"<goto>A</goto>"*) : ;; esac'],
    ['a test', '[[ $x == *"<goto>A</goto>"* ]]'],
  ])('does not lead where %s says', async (_what, text) => {
    expect(edgesOf(await graphIn({ 'START.sh': text, 'A.sh': '' }))).toEqual([]);
  });

  test.each<[string, string, boolean]>([
    ['a computed target', 'echo "<goto>$next</goto>"', true],
    ['a computed tag', 'echo "<$1>A</$1>"', true],
    ['the output of another program', 'python3 decide.py', true],
    ['a variable alone', 'echo "$answer"', true],
    ['a computed payload', 'echo "<result>$x</result>"', false],
    ['words beside a tag', 'echo "Hello $x"; echo "<goto>A</goto>"', false],
    ['words alone', 'echo hello', false],
  ])('with %s is open: %s', async (_what, text, open) => {
    expect((await graphIn({ 'START.sh': text })).states.get('START.sh')?.hasUnknownTargets).toBe(open);
  });
});

describe('a package in one file', () => {
  const yaml = [
    'id: demo',
    'states:',
    '  START:',
    '    allowed_transitions:',
    '      - { tag: goto, target: BUILD.md }',
    '    prompt: |',
    '      Look.',
    '      <goto>BUILD</goto>',
    '  BUILD:',
    '    sh: |',
    '      make',
    '      echo "<result>built</result>"',
    '  LAST:',
    '    sh: echo "<goto>BUILD</goto>"',
    '',
  ].join('\n');

  test('of YAML has the lines and columns of the YAML file', async () => {
    const path = join(await folder({ 'flow.yaml': yaml }), 'flow.yaml');
    const graph = await graphAt(path);
    expect(edgesOf(graph)).toEqual([
      'BUILD.sh result end 12:13',
      'LAST.sh goto BUILD.sh 14:21',
      'START.md goto BUILD.sh 5:30',
    ]);
    expect(graph.states.get('START.md')?.mentions.map(({ at }) => at)).toEqual([
      { file: path, line: 5, column: 11 },
      { file: path, line: 8, column: 7 },
    ]);
  });

  test('of zip has those of the files in it', async () => {
    const path = join(await folder({ 'flow.zip': zipOf({ 'flow/START.md': 'x\n<goto>START</goto>' }) }), 'flow.zip');
    const [edge] = allEdges(await graphAt(path));
    expect(edge).toMatchObject({
      to: { kind: 'state', file: 'START.md' },
      at: { file: `${path}/START.md`, line: 2, column: 7 },
    });
  });
});

test.each(['coding', 'dispatch', 'hello', 'poll', 'research', 'review', 'story', 'vendor'])(
  'every state of the sample %s can be reached',
  async (name) => {
    const graph = await graphAt(join(SAMPLES, name));
    if (graph.entry.kind !== 'state') throw new Error('no entry');
    expect([...reachableFrom(graph, { from: [graph.entry.file] })].sort()).toEqual([...graph.states.keys()].sort());
    expect([...graph.states.values()].filter(({ hasUnknownTargets }) => hasUnknownTargets)).toEqual([]);
  },
);
