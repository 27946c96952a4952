// Packages that are near to the mistakes in mistakes-followed.ts, but run well.
import { lines, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_FOLLOWED: readonly (readonly [what: string, files: Files])[] = [
  [
    'fields that a program adds to the agents',
    {
      'START.js': 'for (const city of ["Bern", "Basel"]) console.log(`<fork city="${city}" next="WAIT">W</fork>`);\n',
      'T.js': lines(
        'const agents = JSON.parse(process.env.RAYMOND_INPUT);',
        'for (const agent of agents) agent.label = agent.attributes.city.toUpperCase();',
        'const rows = agents.map(({ label, result }) => `${label} ${result}`);',
        'console.log(`<result>${rows.length} ${agents[0].label}</result>`);',
      ),
      'W.sh': 'echo "<result>$(wc -l <"$city.txt")</result>"\n',
      'WAIT.sh': 'echo \'<await next="T"/>\'\n',
    },
  ],
  [
    'fields that a filter makes of the agents',
    {
      'START.sh': 'for item in tea milk; do echo "<fork item=\\"$item\\" next=\\"WAIT\\">W</fork>"; done\n',
      'T.sh': lines(
        'jq -r \'map({item: .attributes.item, n: (.result | fromjson | .n)}) | sort_by(.n) | .[] | "\\(.item) \\(.n)"\' "$RAYMOND_INPUT_FILE" >all.txt',
        "echo '<result>ok</result>'",
      ),
      'W.sh': 'echo "<result>{\\"n\\": $(wc -l <"$item.txt")}</result>"\n',
      'WAIT.sh': 'echo \'<await next="T"/>\'\n',
    },
  ],
  [
    'fields of an object that may have more',
    {
      'M.md': 'Write {{input}} greetings. End with <result>the greetings</result>\n',
      'N.py': lines(
        'import json',
        'import os',
        '',
        '',
        'def field(name):',
        '    return os.environ["RAYMOND_RESULT_" + name]',
        '',
        '',
        'contact, notes = json.loads(field("contact")), json.loads(field("notes"))',
        'contact["lines"] = len(notes)',
        'texts = [note["text"] for note in notes if "page" not in note]',
        'print(f"<goto input=\'{len(texts)}\'>M</goto>" if contact["lines"] and contact.get("mail") else "<result>none</result>")',
      ),
      'R.md': lines(
        '---',
        'result:',
        '  schema:',
        '    type: object',
        '    required: [contact, notes]',
        '    properties:',
        '      contact: { type: object, required: [name], additionalProperties: true, properties: { name: { type: string } } }',
        '      notes: { type: array, items: { type: object, properties: { text: { type: string } } } }',
        '---',
        '',
        'Who is in card.txt?',
      ),
      'START.sh': 'echo \'<function return="N">R</function>\'\n',
    },
  ],
  [
    'an object that is printed as JSON',
    {
      'LAST.js': lines(
        'const all = [Number(process.env.lines), 2];',
        'console.log(`<result>[${all}] ${{ a: 1 }.a}</result>`);',
      ),
      'N.sh': 'echo "<goto lines=\\"$RAYMOND_RESULT_lines\\">LAST</goto>"\n',
      'R.py': lines(
        'import json',
        '',
        'stats = {"lines": 3, "words": [1, 2]}',
        'print(f"<print>{stats}</print>")',
        'print(f"<result>{json.dumps(stats)}</result>")',
      ),
      'START.sh': 'echo \'<function return="N">R</function>\'\n',
    },
  ],
  [
    'texts without the quote that encloses them',
    {
      'M.md': 'Greet {{first}} {{count}} times. End with <result>the greeting</result>\n',
      'N.sh': lines(
        'count=$(jq -r \'length\' <<<"$data")',
        "first_name=$(jq -r '.names[0]' <<<\"$data\" | tr -d '\"')",
        'echo "<goto count=\\"$count\\" first=\\"$first_name\\">M</goto>"',
      ),
      'START.py': lines(
        'import json',
        '',
        'names = ["Miller\'s Yard", "North Gate"]',
        'data = json.dumps({"names": names})',
        'print(f"<goto data=\'{data.replace(chr(39), \'\')}\' first=\\"{names[0]}\\" n=\\"{json.dumps(len(names))}\\">N</goto>")',
      ),
    },
  ],
  [
    'a long text that a program reads from its file',
    {
      'N.py': lines(
        'import os',
        'from pathlib import Path',
        '',
        'print(f"<result>{len(Path(os.environ[\'RAYMOND_INPUT_FILE\']).read_text().split())}</result>")',
      ),
      'START.py': lines(
        'import os',
        'from datetime import datetime, timedelta',
        '',
        'hour = datetime(2027, 1, 1)',
        'hours = []',
        'while hour < datetime(2028, 1, 1):',
        '    hours.append(hour.strftime("%Y-%m-%dT%H:%MZ"))',
        '    hour += timedelta(hours=1)',
        'print(f\'<goto input="{" ".join(hours)}">N</goto>\')',
      ),
    },
  ],
  [
    'a short text of dates and a result or an input',
    {
      'N.sh': lines(
        'n=0',
        'while ((n < 20)); do n=$((n + 1)); done',
        'text=${RAYMOND_RESULT:-$RAYMOND_INPUT}',
        'echo "<result>$(wc -w <<<"$text") $n</result>"',
      ),
      'START.py': lines(
        'from datetime import date, timedelta',
        '',
        'day = date(2027, 1, 1)',
        'days = []',
        'while day.year == 2027:',
        '    days.append(day.isoformat())',
        '    day += timedelta(days=1)',
        'print(f\'<goto input="{" ".join(days)}">N</goto>\')',
      ),
    },
  ],
  [
    'tables with defaults and other branches',
    {
      'K.md': lines(
        '---',
        'result: { schema: { type: object, required: [kind], properties: { kind: { enum: [car, bike, tram] } } } }',
        '---',
        '',
        'Which kind?',
      ),
      'N.py': lines(
        'import json',
        'import os',
        '',
        'PRICES = {"car": 10, "bike": 1}',
        'kind = json.loads(os.environ["RAYMOND_RESULT"])["kind"]',
        'price = PRICES.get(kind, 3)',
        'seats = {"car": 5, "bike": 1}.get(kind)',
        'if seats is None:',
        '    seats = 100',
        'if kind == "tram":',
        '    line = "4"',
        'else:',
        '    line = {"car": "A", "bike": "B"}[kind]',
        'print(f"<result>{price} {seats} {line}</result>")',
      ),
      'START.sh': 'echo \'<function return="N">K</function>\'\n',
    },
  ],
  [
    'handlers with a branch for all others',
    {
      'K.md': lines(
        '---',
        'allowed_transitions:',
        '  - { tag: result, payload: car }',
        '  - { tag: result, payload: tram }',
        '  - { tag: result, payload: bike }',
        '---',
        '',
        'Which vehicle? <result>car</result>, <result>tram</result> or <result>bike</result>',
      ),
      'N.js': lines(
        'const handlers = { car: () => 5, bike: () => 1 };',
        'const handler = handlers[process.env.RAYMOND_RESULT];',
        'if (handler) console.log(`<result>${handler()}</result>`);',
        'else console.log("<result>no seats</result>");',
      ),
      'START.sh': 'echo \'<function return="N">K</function>\'\n',
    },
  ],
];
