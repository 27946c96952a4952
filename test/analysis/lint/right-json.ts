// Packages that are near to the mistakes in mistakes-json.ts, but run well.
import { END, type Files } from './kit.js';

/** What is odd, and the package. */
export const RIGHT_JSON: readonly (readonly [what: string, files: Files])[] = [
  [
    'fields that Python parses',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult:\n  schema:\n    type: object\n    required: [files, note]\n    properties: { files: { type: array, items: { type: string } }, note: { type: string }, more: { type: string } }\n---\nList the files that need work.\n',
      'USE.py':
        'import json, os\nfiles = json.loads(os.environ["RAYMOND_RESULT_files"])\nnote, more = os.environ["RAYMOND_RESULT_note"], os.environ.get("RAYMOND_RESULT_more", "")\nfor name in files:\n    print(name, len(name), file=__import__("sys").stderr)\nprint(f"<result>{len(files)} {note} {more}</result>")\n',
    },
  ],
  [
    'a text with quotes',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md':
        '---\nresult: { schema: { type: string, enum: [good, bad] } }\n---\nRate the text. Reply with <result>"good"</result> or <result>"bad"</result>.\n',
      'USE.sh':
        'verdict=$(jq -r . <<<"$RAYMOND_RESULT")\nif [ "$verdict" = good ]; then echo \'<result>fine</result>\'; else echo \'<result>poor</result>\'; fi\n',
    },
  ],
  [
    'a list that jq reads',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } }, more: { type: string } } } }\n---\nList the files that need work.\n',
      'USE.sh':
        'set -eu\nmapfile -t files < <(jq -r \'.[]\' <<<"$RAYMOND_RESULT_files")\necho "<result>${#files[@]} files, ${RAYMOND_RESULT_more:-nothing else}</result>"\n',
    },
  ],
  [
    'a result or another tag',
    {
      'START.sh': 'echo \'<function return="SHOW">RATE</function>\'\n',
      ...END,
      'RATE.md':
        '---\nallowed_transitions: [{ tag: result }, { tag: goto, target: END }]\nresult: { schema: { type: integer, minimum: 1, maximum: 5 } }\n---\nRate the text: <result>a number from 1 to 5</result>. If you can not, <goto>END</goto>\n',
      'SHOW.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
  ],
  [
    'payloads that are JSON',
    {
      'START.sh': 'echo \'<function return="END">RATE</function>\'\n',
      ...END,
      'RATE.md':
        "---\nallowed_transitions: [{ tag: result, payload: '4' }, { tag: result, payload: '5' }]\nresult: { schema: { type: integer } }\n---\nRate the text: <result>4</result> or <result>5</result>.\n",
    },
  ],
  [
    'fields that printf writes',
    {
      'START.sh': 'echo \'<function return="SHOW">COUNT</function>\'\n',
      'COUNT.sh': 'printf \'<result>{"files":%s,"lines":%s}</result>\\n\' "$(ls | wc -l)" 3\n',
      'SHOW.sh': 'echo "<result>$RAYMOND_RESULT_files files, $RAYMOND_RESULT_lines lines</result>"\n',
    },
  ],
  [
    'fields of a result in JSON',
    {
      'START.sh': 'echo \'<function return="SHOW">RATE</function>\'\n',
      'RATE.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nRate the text. Reply with JSON: <result>the score and the reason</result>\n',
      'SHOW.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nThe score is {{result.score}}. Explain it: <result>a sentence</result>\n',
    },
  ],
  [
    'fields that a variable adds',
    {
      'START.sh': 'echo \'<function return="SHOW">COUNT</function>\'\n',
      'COUNT.sh': 'extra=$(cat extra.json)\necho "<result>{\\"files\\": 3, $extra}</result>"\n',
      'SHOW.sh': 'echo "<result>$RAYMOND_RESULT_words words</result>"\n',
    },
  ],
  [
    'a list in another variable that jq cuts into lines',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } } } } }\n---\nList the files that need work.\n',
      'USE.sh':
        'set -e\nfiles=$RAYMOND_RESULT_files\nmapfile -t names < <(jq -r ".[]" <<<"$files")\necho "<result>${names[0]}</result>"\n',
    },
  ],
  [
    'a field of the result of another workflow, which a script writes',
    {
      'START.sh': 'echo \'<function-workflow return="USE">./tool/</function-workflow>\'\n',
      'tool/START.sh': 'echo \'<call return="END">RATE</call>\'\n',
      'tool/RATE.md':
        '---\nresult: { schema: { type: object, required: [mark], properties: { mark: { type: number } } } }\n---\nRate essay.txt.\n',
      'tool/END.sh': 'echo "<result>{\\"grade\\": $RAYMOND_RESULT_mark}</result>"\n',
      'USE.sh': 'echo "<result>$RAYMOND_RESULT_grade</result>"\n',
    },
  ],
  [
    'fields of a file that a prompt names, that a script adds, and that are optional',
    {
      'START.md':
        'Write `{{task_folder}}/bills.json`: a JSON object with the keys `shop` and `total`. End with <goto>SUM</goto>\n',
      'SUM.py':
        'import json, os, pathlib\npath = pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "bills.json"\nbill = json.loads(path.read_text())\nbill["net"] = bill["total"] - bill.get("tax", 0)\npath.write_text(json.dumps(bill))\nprint("<goto>SHOW</goto>")\n',
      'SHOW.sh': 'echo "<result>$(jq .net "$RAYMOND_TASK_FOLDER/bills.json")</result>"\n',
    },
  ],
];
