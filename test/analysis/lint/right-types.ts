// Programs that are near to the mistakes in mistakes-types.ts, but run well.
import { lines, prompt, type Files } from './kit.js';

const JUDGED = {
  'START.sh': 'echo \'<function return="GATE">JUDGE</function>\'\n',
  'JUDGE.md': prompt(
    'result:\n  schema:\n    type: object\n    required: [score, signed]\n    properties:\n      score: { type: integer }\n      signed: { type: boolean }',
    'Judge it, as JSON in <result>…</result>.',
  ),
};

/** What is odd, and the package. */
export const RIGHT_TYPES: readonly (readonly [what: string, files: Files])[] = [
  [
    'numbers that Python makes of texts',
    {
      ...JUDGED,
      'GATE.py': lines(
        'import os',
        'score = int(os.environ["RAYMOND_RESULT_score"])',
        'signed = os.environ["RAYMOND_RESULT_signed"]',
        'title = os.environ.get("RAYMOND_AGENT_ID", "") + "-1"',
        'if score + 1 >= 7 and signed == "true" and len(title) > 3:',
        '    print(f"<result>score >= 7: {score}, signed == True, {title}</result>")',
        'else:',
        '    print("<result>score + 1 < 7</result>")',
      ),
    },
  ],
  [
    'numbers that JavaScript makes of texts',
    {
      ...JUDGED,
      'GATE.js': lines(
        'let score = process.env.RAYMOND_RESULT_score;',
        'score++;',
        "const name = 'v' + process.env.RAYMOND_AGENT_ID + 1;",
        'const next = +process.env.RAYMOND_RESULT_score + 1;',
        'const twice = process.env.RAYMOND_RESULT_score * 2 + 1;',
        'const signed = process.env.RAYMOND_RESULT_signed === "true";',
        'console.log(score > 7 && signed ? `<result>${name} + 1 ${next}</result>` : `<result>bad ${twice}</result>`);',
      ),
    },
  ],
  [
    'an attribute whose presence is the condition, and a value that must be there',
    {
      'START.sh':
        'if [ -f x ]; then\n  echo \'<goto again="no" dry="false">NEXT</goto>\'\nelse\n  echo \'<goto dry="true">NEXT</goto>\'\nfi\n',
      'NEXT.py': lines(
        'import os',
        'import sys',
        'dry = os.environ.get("dry")',
        'if not dry:',
        '    sys.exit("dry is missing")',
        'if os.environ.get("again"):',
        '    print("<result>again</result>")',
        'else:',
        '    print(f"<result>{dry}</result>")',
      ),
    },
  ],
  [
    'a list of agents that a function reads, and results that are JSON',
    {
      'START.sh': 'echo \'<fork next="WAIT" topic="a">WORK</fork>\'\n',
      'WORK.md': 'Review {{topic}}: <result>{"verdict": "accept"}</result>',
      'WAIT.sh': 'echo \'<await next="JOIN"/>\'\n',
      'JOIN.py': lines(
        'import json',
        'import os',
        'def load():',
        '    return json.loads(os.environ["RAYMOND_INPUT"])',
        'votes = []',
        'for agent in load():',
        '    review = json.loads(agent["result"])',
        '    votes.append(review["verdict"])',
        'print(f"<result>{len(votes)}</result>")',
      ),
    },
  ],
  [
    'iterators that are read once, lists that are read twice, and a file that is rewound',
    {
      'START.py': lines(
        'import glob',
        'from pathlib import Path',
        'drafts = sorted(Path("drafts").glob("*.md"))',
        'others = glob.glob("*.txt")',
        'lines = map(str.strip, ["a"])',
        'count = len(list(drafts)) + len(list(others))',
        'for name in drafts + others:',
        '    count += 1',
        'with open("notes.txt") as notes:',
        '    size = sum(1 for line in notes)',
        '    notes.seek(0)',
        '    text = notes.read()',
        'rows = (row for row in text.split())',
        'for row in rows:',
        '    if row == "end":',
        '        break',
        'rest = list(rows)',
        'for line in lines:',
        '    count += 1',
        'lines = map(str.upper, ["a"])',
        'print(f"<result>{count} {size} {rest} {list(lines)}</result>")',
      ),
    },
  ],
  [
    'async callbacks that are waited for, and one on which nothing depends',
    {
      'START.js': lines(
        "const { readFile, writeFile } = require('node:fs/promises');",
        'async function main() {',
        "  const names = ['a', 'b'];",
        '  let total = 0;',
        '  const pending = names.map(async (name) => {',
        "    total += (await readFile(name, 'utf8')).length;",
        '  });',
        '  await Promise.all(pending);',
        "  names.forEach(async (name) => await writeFile(`${name}.out`, 'x'));",
        "  const texts = await Promise.all(names.map(async (name) => (await readFile(name, 'utf8')).trim()));",
        "  console.log(`<result>${total} ${texts.join(', ')}</result>`);",
        '}',
        'main();',
      ),
    },
  ],
  [
    'texts of which a program takes what texts have, and parsed ones',
    {
      'START.js': lines(
        "const fs = require('node:fs');",
        "const load = (name) => JSON.parse(fs.readFileSync(name, 'utf8'));",
        "const read = (name) => fs.readFileSync(name, 'utf8');",
        "const items = load('items.json').filter((item) => item.ok);",
        "const words = read('a.txt').trim().split('a').filter(Boolean);",
        "const { length } = read('b.txt');",
        'console.log(`<result>${items.length} ${words.length} ${length}</result>`);',
      ),
    },
  ],
  [
    'values that change places on purpose, or whose order nothing says',
    {
      'START.py': lines(
        'def swap(one, other):',
        '    return other, one',
        '',
        '',
        'def share(done, rest):',
        '    """Returns the share of the rows and the rows that are left."""',
        '    return done / rest, rest',
        '',
        '',
        'one, other = swap(1, 2)',
        'rows, part = share(one, other)',
        'print(f"<result>{one} {other} {rows} {part}</result>")',
      ),
    },
  ],
  [
    'promises that are awaited later, and what is no promise',
    {
      'START.js': lines(
        "const { readFile, watch } = require('node:fs/promises');",
        'async function main() {',
        "  const pending = readFile('a.txt', 'utf8');",
        "  const size = readFile('b.txt').then((data) => data.length);",
        "  const events = watch('.');",
        "  const text = (await pending).split('a');",
        '  console.log(`<result>${text.length} ${await size} ${events.return}</result>`);',
        '}',
        'main();',
      ),
    },
  ],
  [
    'a reader that goes back to its beginning in every round, and one whose loop reads the rest',
    {
      'START.py': lines(
        'import csv',
        'counts = []',
        'with open("rows.csv") as file:',
        '    rows = csv.DictReader(file)',
        '    for rule in ("a", "b"):',
        '        file.seek(0)',
        '        counts.append(sum(1 for row in rows if row["rule"] == rule))',
        'with open("notes.txt") as notes:',
        '    for title in notes:',
        '        text = "".join(notes)',
        'print(f"<result>{counts} {title} {text}</result>")',
      ),
    },
  ],
  [
    'cells of a CSV file that become numbers in the table, and texts in the format of texts',
    {
      'START.py': lines(
        'import csv, os',
        'with open("runs.csv") as file:',
        '    runs = list(csv.DictReader(file))',
        'for run in runs:',
        '    run["seconds"] = float(run["seconds"])',
        'slow = {row["name"]: {"seconds": row["seconds"]} for row in runs if row["seconds"] > 40}',
        'first = slow.get("first")',
        'name = os.environ["RAYMOND_WORKFLOW_ID"]',
        'late = first and first["seconds"] - 40',
        'print(f"<result>{name:>20} {late}</result>")',
      ),
    },
  ],
  [
    'helpers with the names of modules that get what they mean',
    {
      'START.py': lines(
        'from calendar import next_day',
        'from local import csv',
        'print(f"<goto day=\\"{next_day()}\\" rows=\\"{csv}\\">NEXT</goto>")',
      ),
      'calendar.py': lines('def next_day():', '    return "Monday"'),
      'local.py': lines('csv = 3'),
      'NEXT.js': lines(
        "const { shorten } = require('./util');",
        "const { format } = require('util');",
        'console.log(`<result>${shorten(format(process.env.day))} ${process.env.rows}</result>`);',
      ),
      'util.js': lines('const shorten = (text) => text.slice(0, 3);', 'module.exports = { shorten };'),
    },
  ],
  [
    'texts from a function that reads files, used as texts or made numbers',
    {
      'START.sh': 'echo 5 >"$RAYMOND_TASK_FOLDER/left"\necho "<goto>STEP</goto>"\n',
      'STEP.js': lines(
        'const fs = require("fs");',
        'const path = require("path");',
        'const folder = process.env.RAYMOND_TASK_FOLDER;',
        'const read = (name) => fs.readFileSync(path.join(folder, name), "utf8");',
        'const left = Number(read("left"));',
        'const size = read("left").length + 1;',
        'const label = read("left").trim() + "-" + (left + 1);',
        'fs.writeFileSync(path.join(folder, "left"), String(left - 1));',
        'console.log(left === 0 || size > 9 ? "<result>x</result>" : `<reset delay="5s">STEP</reset> ${label}`);',
      ),
    },
  ],
];
