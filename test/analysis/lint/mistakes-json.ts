// Planted mistakes with results that are JSON or plain text, and with their fields.
import { END, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const JSON_MISTAKES: readonly Fault[] = [
  [
    'a text with quotes that is compared without them',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md': '---\nresult: { schema: { type: string, enum: [good, bad] } }\n---\nRate the text.\n',
      'USE.sh':
        "if [ \"$RAYMOND_RESULT\" = good ]; then echo '<result>fine</result>'; else echo '<result>poor</result>'; fi\n",
    },
    ['json-as-word USE.sh:1:26'],
  ],
  [
    'an object that is compared with a word',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md':
        '---\nresult: { schema: { type: object, required: [verdict], properties: { verdict: { type: string, enum: [good, bad] } } } }\n---\nRate the text.\n',
      'USE.py':
        'import os\nif os.environ["RAYMOND_RESULT"] == "good":\n    print("<result>fine</result>")\nelse:\n    print("<result>poor</result>")\n',
    },
    ['json-as-word USE.py:2:37'],
  ],
  [
    'a field that is compared with quotes',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md':
        '---\nresult: { schema: { type: object, required: [verdict], properties: { verdict: { type: string, enum: [good, bad] } } } }\n---\nRate the text.\n',
      'USE.sh':
        "if [ \"$RAYMOND_RESULT_verdict\" = '\"good\"' ]; then echo '<result>fine</result>'; else echo '<result>poor</result>'; fi\n",
    },
    ['json-as-word USE.sh:1:34'],
  ],
  [
    'a result that is compared with a line end',
    {
      'START.sh': 'echo \'<function return="SHOW">ASKIT</function>\'\n',
      'ASKIT.sh': "printf '<result>\\nyes\\n</result>\\n'\n",
      'SHOW.py':
        'import os\nif os.environ["RAYMOND_RESULT"] == "yes\\n":\n    print("<result>agreed</result>")\nelse:\n    print("<result>refused</result>")\n',
    },
    ['json-as-word SHOW.py:2:37'],
  ],
  [
    'a text field that Python parses',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md':
        '---\nresult: { schema: { type: object, required: [reason], properties: { reason: { type: string } } } }\n---\nRate the text.\n',
      'USE.py':
        'import json, os\nreason = json.loads(os.environ["RAYMOND_RESULT_reason"])\nprint(f"<result>{reason}</result>")\n',
    },
    ['text-as-json USE.py:2:33'],
  ],
  [
    'a text field that jq parses',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md':
        '---\nresult: { schema: { type: object, required: [reason], properties: { reason: { type: string } } } }\n---\nRate the text.\n',
      'USE.sh': 'set -e\nreason=$(jq -r . <<<"$RAYMOND_RESULT_reason")\necho "<result>$reason</result>"\n',
    },
    ['text-as-json USE.sh:2:23'],
  ],
  [
    'the characters of a list in Python',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } } } } }\n---\nList the files that need work.\n',
      'USE.py':
        'import os\nfor name in os.environ["RAYMOND_RESULT_files"]:\n    print("need", name.strip(), file=__import__("sys").stderr)\nprint("<result>listed</result>")\n',
    },
    ['list-as-words USE.py:2:1'],
  ],
  [
    'a list that Python splits at commas',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } } } } }\n---\nList the files that need work.\n',
      'USE.py':
        'import os\nfiles = os.environ["RAYMOND_RESULT_files"].split(",")\nprint(f"<result>{files[0]}</result>")\n',
    },
    ['list-as-words USE.py:2:9'],
  ],
  [
    'the length of a list in JavaScript',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } } } } }\n---\nList the files that need work.\n',
      'USE.js':
        'const files = process.env.RAYMOND_RESULT_files;\nconsole.log(`<result>${files.length} files</result>`);\n',
    },
    ['list-as-words USE.js:1:1'],
  ],
  [
    'a list that bash reads at commas',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } } } } }\n---\nList the files that need work.\n',
      'USE.sh':
        'set -e\nIFS=, read -ra files <<<"$RAYMOND_RESULT_files"\necho "<result>${#files[@]} files, first ${files[0]}</result>"\n',
    },
    ['list-as-words USE.sh:2:27'],
  ],
  [
    'an optional field in Python',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md':
        '---\nresult: { schema: { type: object, required: [score], properties: { score: { type: integer }, note: { type: string } } } }\n---\nRate the text. A note is optional.\n',
      'USE.py': 'import os\nnote = os.environ["RAYMOND_RESULT_note"]\nprint(f"<result>{note}</result>")\n',
    },
    ['optional-field USE.py:2:20'],
  ],
  [
    'an optional field in a strict bash script',
    {
      'START.sh': 'echo \'<function return="USE">RATE</function>\'\n',
      'RATE.md':
        '---\nresult: { schema: { type: object, required: [score], properties: { score: { type: integer }, note: { type: string } } } }\n---\nRate the text. A note is optional.\n',
      'USE.sh': 'set -eu\necho "<result>$RAYMOND_RESULT_note</result>"\n',
    },
    ['optional-field USE.sh:2:16'],
  ],
  [
    'a schema without a result',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: goto, target: END }]\nresult: { schema: { type: object, required: [score], properties: { score: { type: integer } } } }\n---\nRate the text, with the score from 1 to 5. Then <goto>END</goto>\n',
      ...END,
    },
    ['unused-schema START.md:3:1'],
  ],
  [
    'a payload that no schema allows',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: result, payload: done }]\nresult: { schema: { type: object, required: [score], properties: { score: { type: integer } } } }\n---\nRate the text, with the score from 1 to 5.\n',
    },
    ['unused-schema START.md:2:47'],
  ],
  [
    'examples without quotes',
    {
      'START.sh': 'echo \'<function return="END">RATE</function>\'\n',
      ...END,
      'RATE.md':
        '---\nresult:\n  schema:\n    type: string\n    enum: [good, bad]\n---\nRate the text.\nReply with <result>good</result> or <result>bad</result>.\n',
    },
    ['text-for-json RATE.md:8:12'],
  ],
  [
    'an example that is more than a number',
    {
      'START.sh': 'echo \'<function return="END">RATE</function>\'\n',
      ...END,
      'RATE.md':
        '---\nresult: { schema: { type: integer, minimum: 1, maximum: 5 } }\n---\nRate the text.\nReply as in <result>4 of 5</result>.\n',
    },
    ['text-for-json RATE.md:5:13'],
  ],
  [
    'a field of a word',
    {
      'START.sh': 'echo \'<function return="SHOW">RATE</function>\'\n',
      'RATE.md':
        '---\nallowed_transitions:\n  - { tag: result, payload: good }\n  - { tag: result, payload: bad }\n---\nRate the text: <result>good</result> or <result>bad</result>\n',
      'SHOW.sh': 'echo "<result>the verdict: $RAYMOND_RESULT_verdict</result>"\n',
    },
    ['unknown-result-field SHOW.sh:1:29'],
  ],
  [
    'a field that a script does not write',
    {
      'START.sh': 'echo \'<function return="SHOW">COUNT</function>\'\n',
      'COUNT.sh': 'echo "<result>{\\"files\\": $(ls | wc -l), \\"lines\\": 3}</result>"\n',
      'SHOW.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nThere are {{result.count}} files. Say it nicely: <result>a sentence</result>\n',
    },
    ['unknown-result-field SHOW.md:4:11'],
  ],
  [
    'a field in the wrong case',
    {
      'START.sh': 'echo \'<function return="SHOW">COUNT</function>\'\n',
      'COUNT.sh': 'echo "<result>{\\"files\\": $(ls | wc -l), \\"lines\\": 3}</result>"\n',
      'SHOW.sh': 'echo "<result>$RAYMOND_RESULT_FILES files</result>"\n',
    },
    ['unknown-result-field SHOW.sh:1:16'],
  ],
  [
    'a field of a list',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: array, items: { type: object, properties: { name: { type: string } } } } }\n---\nList the people.\n',
      'USE.sh': 'echo "<result>$RAYMOND_RESULT_name</result>"\n',
    },
    ['unknown-result-field USE.sh:1:16'],
  ],
  [
    'a field of an input',
    {
      'START.sh': 'echo "<goto input=\'{\\"score\\": 4}\'>SHOW</goto>"\n',
      'SHOW.sh': 'echo "<result>score $RAYMOND_RESULT_score</result>"\n',
    },
    ['unbound-variable SHOW.sh:1:21'],
  ],
  [
    'the characters of a list in a comprehension',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } } } } }\n---\nList the files that need work.\n',
      'USE.py':
        'import os\nfiles = os.environ["RAYMOND_RESULT_files"]\nnames = [name.strip() for name in files]\nprint(f"<result>{names[0]}</result>")\n',
    },
    ['list-as-words USE.py:2:1'],
  ],
  [
    'a list in another variable that bash reads line by line',
    {
      'START.sh': 'echo \'<function return="USE">LIST</function>\'\n',
      'LIST.md':
        '---\nresult: { schema: { type: object, required: [files], properties: { files: { type: array, items: { type: string } } } } }\n---\nList the files that need work.\n',
      'USE.sh':
        'set -e\nfiles=$RAYMOND_RESULT_files\nmapfile -t names <<<"$files"\necho "<result>${names[0]}</result>"\n',
    },
    ['list-as-words USE.sh:3:23'],
  ],
  [
    'a field that the result of another workflow does not have',
    {
      'START.sh': 'echo \'<function-workflow return="USE">./tool/</function-workflow>\'\n',
      'tool/START.sh': 'echo "<goto>RATE</goto>"\n',
      'tool/RATE.md':
        '---\nresult: { schema: { type: object, required: [mark], properties: { mark: { enum: [good, bad] } } } }\n---\nRate essay.txt.\n',
      'USE.sh':
        'if [ "$RAYMOND_RESULT_mark" = fine ]; then exit 1; fi\necho "<result>$RAYMOND_RESULT_grade</result>"\n',
    },
    ['impossible-value USE.sh:1:31', 'unknown-result-field USE.sh:2:16'],
  ],
  [
    'a field of a file that no prompt names, in Python and in a filter of jq',
    {
      'START.md':
        'Write `{{task_folder}}/bills.json`: a JSON list of objects with the keys `shop` and `total`. End with <goto>SUM</goto>\n',
      'SUM.py':
        'import json, os, pathlib\nbills = json.loads((pathlib.Path(os.environ["RAYMOND_TASK_FOLDER"]) / "bills.json").read_text())\nif sum(bill["amount"] for bill in bills) > 9:\n    print("<goto>SHOW</goto>")\nelse:\n    print("<result>little</result>")\n',
      'SHOW.sh': 'first=$(jq -r ".[0].place" "$RAYMOND_TASK_FOLDER/bills.json")\necho "<result>$first</result>"\n',
    },
    ['field-not-asked SHOW.sh:1:21', 'field-not-asked SUM.py:3:13'],
  ],
];
