// Planted mistakes in what states do with the text that they get, and in what a loop repeats.
import { END, type Fault } from './kit.js';

/** What is wrong, the package, and what is found in it. */
export const GIVEN_MISTAKES: readonly Fault[] = [
  [
    'an input that a script takes for the one of the caller',
    {
      'START.sh': 'echo \'<function return="END" input="rain">SEARCH</function>\'\n',
      'END.sh': 'echo "<result>About $RAYMOND_INPUT: $RAYMOND_RESULT</result>"\n',
      'SEARCH.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nFind a poem about {{input}}: <result>the title</result>\n',
    },
    ['same-text-twice END.sh:1:22'],
  ],
  [
    'a prompt with an input and a result',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: function, target: REVIEW, return: COMPARE }]\n---\nWrite a draft. Then <function return="COMPARE" input="the draft">REVIEW</function>\n',
      'COMPARE.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nImprove the draft\n\n{{input}}\n\nby this review: {{result}}\n\n<result>the new draft</result>\n',
      'REVIEW.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nReview this draft: {{input}}. <result>the review</result>\n',
    },
    ['same-text-twice COMPARE.md:6:1'],
  ],
  [
    'a Python program with an input and a result',
    {
      'START.sh': 'echo \'<function return="END" input="42">SQUARE</function>\'\n',
      'END.py':
        'import os\nn, square = os.environ["RAYMOND_INPUT"], os.environ["RAYMOND_RESULT"]\nprint(f"<result>{n} squared is {square}</result>")\n',
      'SQUARE.sh': 'echo "<result>$((RAYMOND_INPUT * RAYMOND_INPUT))</result>"\n',
    },
    ['same-text-twice END.py:2:25'],
  ],
  [
    'a called prompt that says only that it is done',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: call, target: RESEARCH, return: ANSWER }]\n---\nRead the question in question.txt, then <call return="ANSWER">RESEARCH</call>\n',
      'ANSWER.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nAnswer the question from these facts: {{result}}\n\n<result>the answer</result>\n',
      'RESEARCH.md':
        '---\nallowed_transitions: [{ tag: result, payload: done }]\n---\nSearch everything that helps with the question. Then <result>done</result>\n',
    },
    ['empty-result RESEARCH.md:4:54'],
  ],
  [
    'a called script that says only that it is done',
    {
      'START.sh': 'echo \'<function return="SAVE">SUM</function>\'\n',
      'SAVE.sh':
        'set -e\nprintf \'total: %s\\n\' "$RAYMOND_RESULT" >total.txt\necho "<result>the total is $RAYMOND_RESULT</result>"\n',
      'SUM.sh': "set -e\ntotal=$(awk '{ s += $1 } END { print s }' numbers.txt)\necho '<result>ok</result>'\n",
    },
    ['empty-result SUM.sh:3:7'],
  ],
  [
    'forked agents that say only that they are done',
    {
      'START.sh':
        'echo \'<fork next="WAIT" file="a.c">WORK</fork>\'\necho \'<fork next="WAIT" file="b.c">WORK</fork>\'\n',
      'SUM.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nHere are the reviews of all files, as JSON: {{input}}\n\nSummarise them: <result>a summary</result>\n',
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
      'WORK.md':
        '---\nallowed_transitions: [{ tag: result, payload: done }]\n---\nReview {{file}}. Then <result>done</result>\n',
    },
    ['empty-result WORK.md:4:23'],
  ],
  [
    'a word that a program reads as JSON',
    {
      'START.sh': 'echo \'<function return="USE">LOAD</function>\'\n',
      'LOAD.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nList the open issues. When you have them, <result>done</result>\n',
      'USE.py':
        'import json, os\nissues = json.loads(os.environ["RAYMOND_RESULT"])\nprint(f"<result>{len(issues)} issues</result>")\n',
    },
    ['empty-result LOAD.md:4:43'],
  ],
  [
    'an answer that is written as the article',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: goto, target: APPROVE }]\n---\nWrite an article, then <goto input="the article">APPROVE</goto>\n',
      'APPROVE.sh': 'echo \'<ask next="PUBLISH" choices="yes,no">Shall I publish the article?</ask>\'\n',
      'PUBLISH.sh': "set -e\nprintf '%s\\n' \"$RAYMOND_INPUT\" >article.md\necho '<result>published</result>'\n",
    },
    ['answer-as-earlier-text PUBLISH.sh:2:17'],
  ],
  [
    'an answer in the place of an announcement',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: ask, next: PUBLISH }]\n---\nWrite an announcement, then <ask next="PUBLISH">May I publish it?</ask>\n',
      'PUBLISH.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nPublish this announcement:\n\n{{input}}\n\n<result>the address</result>\n',
    },
    ['answer-as-earlier-text PUBLISH.md:6:1'],
  ],
  [
    'an answer that is taken for a path',
    {
      'START.sh': 'set -e\ntar czf app.tgz src\necho \'<goto input="app.tgz">APPROVE</goto>\'\n',
      'APPROVE.sh': 'echo "<ask next=\\"DEPLOY\\" choices=\\"deploy,stop\\">Deploy $RAYMOND_INPUT?</ask>"\n',
      'DEPLOY.sh': 'set -e\nscp "$RAYMOND_INPUT" host:/srv/ >&2\necho \'<result>deployed</result>\'\n',
    },
    ['answer-as-earlier-text DEPLOY.sh:2:7'],
  ],
  [
    'an answer that is taken for JSON',
    {
      'START.sh': 'echo "<goto input=\'{\\"to\\": \\"a\\", \\"text\\": \\"b\\"}\'>OK</goto>"\n',
      'OK.sh': 'echo \'<ask next="SEND" choices="send,drop">Send the mail?</ask>\'\n',
      'SEND.py':
        'import json, os\nmail = json.loads(os.environ["RAYMOND_INPUT"])\nprint(f"<result>sent to {mail[\'to\']}</result>")\n',
    },
    ['answer-as-earlier-text SEND.py:2:31'],
  ],
  [
    'a prompt that does not contain the answer',
    {
      'START.sh': 'echo \'<ask next="DO">What should be changed in the page?</ask>\'\n',
      'DO.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nChange the page as the person has answered. <result>what you changed</result>\n',
    },
    ['unread-value DO.md:4:17'],
  ],
  [
    'a prompt that does not contain the answer to another prompt',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: ask, next: DO }]\n---\nWrite two titles. Then ask: <ask next="DO">Which of the two titles?</ask>\n',
      'DO.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nUse the title that was chosen in the answer. <result>the title</result>\n',
    },
    ['unread-value DO.md:4:31'],
  ],
  [
    'a prompt that does not contain the result',
    {
      'START.md':
        '---\nallowed_transitions: [{ tag: call, target: RESEARCH, return: ANSWER }]\n---\nRead the question in question.txt, then <call return="ANSWER">RESEARCH</call>\n',
      'ANSWER.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nAnswer the question from the facts that you have found. <result>the answer</result>\n',
      'RESEARCH.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nSearch everything that helps with the question. End with <result>the facts</result>\n',
    },
    ['unread-value ANSWER.md:4:26'],
  ],
  [
    'a prompt that does not contain a list of problems',
    {
      'START.sh': 'echo \'<function return="FIX">REVIEW</function>\'\n',
      'FIX.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nFix the problems that the review has found in main.c. <result>what you changed</result>\n',
      'REVIEW.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nReview main.c. Reply with <result>the list of problems</result>\n',
    },
    ['unread-value FIX.md:4:5'],
  ],
  [
    'a prompt that does not contain the results of agents',
    {
      'START.sh':
        'echo \'<fork next="WAIT" file="a.c">WORK</fork>\'\necho \'<fork next="WAIT" file="b.c">WORK</fork>\'\n',
      'SUM.md':
        '---\nallowed_transitions: [{ tag: result }]\n---\nSummarise the reviews of the forked agents: <result>a summary</result>\n',
      'WAIT.sh': 'echo \'<await next="SUM"/>\'\n',
      'WORK.md': '---\nallowed_transitions: [{ tag: result }]\n---\nReview {{file}}: <result>your review</result>\n',
    },
    ['unread-value SUM.md:4:11'],
  ],
  [
    'a thousand calls within each other',
    {
      'START.sh': 'echo \'<function return="END" n="1">WORK</function>\'\n',
      ...END,
      'UP.sh': "echo '<result>all</result>'\n",
      'WORK.sh':
        'set -e\necho "item $n" >&2\nif [ "$n" -ge 1000 ]; then echo \'<result>all</result>\'; exit; fi\necho "<function return=\\"UP\\" n=\\"$((n + 1))\\">WORK</function>"\n',
    },
    ['calls-too-deep WORK.sh:4:48'],
  ],
  [
    'calls that count down from 600',
    {
      'START.sh': 'echo \'<goto input="600">COUNT</goto>\'\n',
      'ADD.sh': 'echo "<result>$((RAYMOND_RESULT + 1))</result>"\n',
      'COUNT.py':
        'import os\nn = int(os.environ["RAYMOND_INPUT"])\nif n == 0:\n    print("<result>0</result>")\nelse: print(f\'<call return="ADD" input="{n - 1}">COUNT</call>\')\n',
    },
    ['calls-too-deep COUNT.py:5:50'],
  ],
  [
    'calls up to a limit of 750',
    {
      'START.sh': 'echo \'<function return="END" depth="0">STEP</function>\'\n',
      ...END,
      'STEP.js':
        'const depth = Number(process.env.depth);\nconst LIMIT = 750;\nif (depth >= LIMIT) console.log(\'<result>bottom</result>\');\nelse console.log(`<call return="UP" depth="${depth + 1}">STEP</call>`);\n',
      'UP.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
    ['calls-too-deep STEP.js:4:58'],
  ],
  [
    'a call that begins the calling state again',
    {
      'START.sh': 'echo \'<function return="END">CHECK</function>\'\n',
      'CHECK.sh':
        "set -e\nif curl -fs https://x.example/ready >&2; then echo '<result>ready</result>'; exit; fi\nsleep 60\necho '<reset>START</reset>'\n",
      ...END,
    },
    ['call-without-result-path CHECK.sh:4:14', 'calls-too-deep START.sh:1:30'],
  ],
  [
    'agents that are forked again after a timeout',
    {
      'START.sh': 'echo \'<fork next="WAIT" item="a">WORK</fork>\'\necho \'<fork next="WAIT" item="b">WORK</fork>\'\n',
      'LATE.sh':
        'echo \'too slow: start them again\' >&2\necho \'<fork next="WAIT" item="a">WORK</fork><fork item="b">WORK</fork>\'\n',
      'SUM.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'WAIT.sh': 'echo \'<await next="SUM" timeout="1h" timeout_next="LATE"/>\'\n',
      'WORK.md': '---\nallowed_transitions: [{ tag: result }]\n---\nWork on {{item}}. <result>what you did</result>\n',
    },
    ['forked-again LATE.sh:2:34'],
  ],
  [
    'a timeout that leads back to the forks',
    {
      'START.sh': 'echo \'<fork next="WAIT" item="a">WORK</fork>\'\necho \'<fork next="WAIT" item="b">WORK</fork>\'\n',
      'SUM.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'WAIT.sh': 'echo \'<await next="SUM" timeout="1h" timeout_next="START"/>\'\n',
      'WORK.md': '---\nallowed_transitions: [{ tag: result }]\n---\nWork on {{item}}. <result>what you did</result>\n',
    },
    ['forked-again WAIT.sh:1:52'],
  ],
  [
    'a prompt that forks missing agents again',
    {
      'START.sh': 'for f in a b c; do echo "<fork next=\\"WAIT\\" file=\\"$f\\">WORK</fork>"; done\n',
      'AGAIN.md':
        '---\nallowed_transitions: [{ tag: fork, target: WORK, next: WAIT }]\n---\nSome agents did not end in time. Find out which files have no report yet, and start an agent for each of them:\n<fork next="WAIT" file="the file">WORK</fork>\n',
      'SUM.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'WAIT.sh': 'echo \'<await next="SUM" timeout="20m" timeout_next="AGAIN"/>\'\n',
      'WORK.md': '---\nallowed_transitions: [{ tag: result }]\n---\nWork on {{file}}. <result>what you did</result>\n',
    },
    ['forked-again AGAIN.md:5:1'],
  ],
  [
    'a state that calls the first state for each file, and gets the result itself',
    {
      'START.sh':
        'file=$(ls inbox | head -n 1)\nif [ -z "$file" ]; then echo "<result>empty</result>"; else echo "<goto file=\\"$file\\">SEND</goto>"; fi\n',
      'SEND.sh': 'mv "inbox/$file" sent/\necho \'<call return="SEND" file="none">START</call>\'\n',
    },
    ['calls-too-deep SEND.sh:2:39'],
  ],
  [
    'a script that calls itself with what it got, although it only reads',
    {
      'START.sh': 'echo "<call return=\\"END\\" unit=\\"$RAYMOND_INPUT\\">OWNER</call>"\n',
      'OWNER.sh':
        'owner=$(grep "^$unit:" owners.txt | cut -d : -f 2)\nif [ -n "$owner" ]; then echo "<result>$owner</result>"; else echo "<call return=\\"END\\" unit=\\"$unit\\">OWNER</call>"; fi\n',
      'END.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
    },
    ['calls-too-deep OWNER.sh:2:105'],
  ],
];
