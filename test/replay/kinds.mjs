// Every kind of run whose histories are stored: its states, what its Claude answers, and what happens to it from outside.
// Must stay deterministic in what it does, not in its times. A new behaviour of the workflows is a new kind here.

/** A bash script that ends with this tag. */
const ends = (tag, before = '') => `${before}\necho '${tag}'\n`;
/** A bash script that waits for a file and then ends with this tag. */
const waits = (tag, file = 'go') => ends(tag, `touch started; until [ -f ${file} ]; do sleep 0.05; done`);
const policy = (...tags) => `---\nallowed_transitions:\n${tags.map((tag) => `  - { tag: ${tag} }\n`).join('')}---\n`;

const LIMITED = { isError: true, terminalReason: 'api_error', costUsd: 0.25, text: 'limited' };
const LOGGED_OUT = { isError: true, assistantError: 'authentication_failed', text: 'Please run /login', costUsd: 0.25 };

/**
 * `rules` are those of the fake Claude; `drive` is what a person does meanwhile (by default nothing); `eventsPerHistory`
 * makes the server suggest a new history after so many events.
 */
export const KINDS = [
  {
    kind: 'goto',
    states: {
      'START.sh': ends('<goto input="x">A</goto>'),
      'A.sh': ends('<reset>B</reset>'),
      'B.sh': ends('<result>done</result>'),
    },
  },
  {
    kind: 'stack',
    states: {
      'START.sh': ends('<call return="AFTER" input="x">SUB</call>'),
      'SUB.sh': ends('<goto>DEEPER</goto>'),
      'DEEPER.sh': ends('<function return="BACK" input="question">CHECK</function>'),
      'CHECK.sh': ends('<result>yes</result>'),
      'BACK.sh': ends('<result>back</result>'),
      'AFTER.sh': ends('<result>after</result>'),
    },
  },
  {
    kind: 'chain',
    states: {
      'START.sh': ends('<call return="AFTER" input="x">SUB</call>'),
      'SUB.sh': ends('<result>sub</result>'),
      'AFTER.sh': ends('<fork next="BAD">WORKER</fork>'),
      'WORKER.sh': ends('<goto>NEXT</goto>'),
      'NEXT.sh': ends('<result>next</result>'),
      'BAD.sh': ends('<goto>WORSE</goto>'),
      'WORSE.sh':
        '# raymond: retries=1\nif [ -f again ]; then echo "<result>mended</result>"; else touch again; exit 3; fi\n',
    },
  },
  {
    kind: 'prompts',
    options: { budgetUsd: 10, turn: { permissions: 'accept-edits', model: 'haiku', idleSeconds: 60 } },
    states: {
      'START.md': 'Begin.',
      'PLAN.md': 'Plan.',
      'LOOK.md': 'Look.',
      'JUDGE.md': 'Judge {{input}}.',
      'END.md': 'End with {{result}}.',
    },
    rules: [
      { match: '^Begin', text: '<goto>PLAN</goto>' },
      { match: '^Plan', text: '<call return="END">LOOK</call>' },
      { match: '^Look', text: 'noise <function return="END" input="it">JUDGE</function>' },
      { match: '^Judge', text: '<result>good</result>' },
      { match: '^End', text: '<result>ended</result>' },
    ],
  },
  {
    kind: 'fork',
    states: {
      'START.sh': ends('<fork item="1">WORKER</fork><fork item="2" input="in">ASK</fork><goto>END</goto>'),
      'WORKER.sh': ends('<fork next="LAST">WORKER2</fork>'),
      'WORKER2.sh': ends('<result>deepest</result>'),
      'LAST.sh': ends('<result>worked</result>'),
      'ASK.md': 'Ask about {{input}}.',
      'END.sh': ends('<result>parent</result>'),
    },
    rules: [{ text: '<result>answered</result>' }],
  },
  {
    kind: 'fork-branches',
    states: {
      'START.md': 'Begin.',
      'REVIEW.md': 'Review {{topic}}.',
      'END.sh': ends('<result>forked</result>'),
    },
    rules: [
      { match: '^Review', text: '<result>fine</result>' },
      {
        match: '^Begin',
        text: '<fork next="END" context="branch" topic="a">REVIEW</fork><fork next="END" context="branch" topic="b">REVIEW</fork>',
      },
    ],
  },
  {
    kind: 'taken-name',
    // The first fork of X1 and the eleventh of X have the same name.
    states: {
      'START.sh': ends('<fork next="TEN">X1</fork>'),
      'TEN.sh': ends(`${'<fork>Q</fork>'.repeat(9)}<fork>X</fork><goto>END</goto>`),
      'X1.sh': ends('<result>X1</result>'),
      'X.sh': ends('<result>X</result>'),
      'Q.sh': ends('<result>Q</result>'),
      'END.sh': ends('<result>end</result>'),
    },
    agents: ['main', 'main_x12'],
  },
  {
    kind: 'failed',
    states: {
      'START.sh': ends('<fork next="BAD">GOOD</fork>'),
      'GOOD.sh': ends('<result>x</result>'),
      'BAD.sh': 'echo why >&2; exit 7\n',
    },
  },
  {
    kind: 'fail-fast',
    options: { failFast: true },
    states: {
      'START.sh': ends('<fork next="BAD">SLOW</fork>'),
      'SLOW.sh': 'touch slow; sleep 600\n',
      'BAD.sh': 'until [ -f slow ]; do sleep 0.05; done; exit 1\n',
    },
  },
  { kind: 'mistake', states: { 'START.sh': 'echo nothing\n' } },
  {
    kind: 'reminded',
    states: { 'START.md': `${policy('goto, target: NEXT', 'result')}Begin.\n`, 'NEXT.sh': ends('<result>x</result>') },
    rules: [{ text: 'No tag.', times: 2 }, { text: '<goto>NEXT</goto>' }],
  },
  {
    kind: 'not-mended',
    states: { 'START.md': `${policy('result')}Begin.\n` },
    rules: [{ text: 'No tag.' }],
  },
  {
    kind: 'cancelled',
    states: {
      'START.sh': ends('<fork next="SLOW">SLOW</fork>'),
      'SLOW.sh': 'touch "slow-$RAYMOND_AGENT_ID"; sleep 600\n',
    },
    drive: async (run) => {
      await run.made('slow-main');
      await run.made('slow-main_slow1');
      await run.cancel();
    },
  },
  {
    kind: 'revived',
    states: {
      'START.sh': ends('<call return="AFTER">SUB</call>'),
      'SUB.sh': 'exit 1\n',
      'AFTER.sh': ends('<result>after all</result>'),
    },
    drive: async (run) => {
      await run.closed();
      await run.write('flow/SUB.sh', ends('<result>mended</result>'));
      await run.revive();
    },
  },
  {
    kind: 'paused',
    states: { 'START.md': 'Begin.' },
    rules: [{ ...LOGGED_OUT, times: 1 }, { text: '<result>ok</result>' }],
    drive: async (run) => {
      await run.paused();
      await run.resume();
    },
  },
  {
    kind: 'tried-again',
    states: { 'START.md': 'Begin.' },
    rules: [{ noResult: true, exitCode: 1, times: 2 }, { text: '<result>ok</result>' }],
  },
  {
    kind: 'usage-limit',
    states: { 'START.md': 'Begin.' },
    rules: [
      {
        ...LIMITED,
        times: 1,
        rateLimit: { status: 'rejected', rateLimitType: 'five_hour', resetsAt: Math.ceil(Date.now() / 1000) },
      },
      { text: '<result>ok</result>' },
    ],
  },
  {
    kind: 'over-budget',
    options: { budgetUsd: 1 },
    states: { 'START.md': 'Begin.', 'NEXT.sh': ends('<result>x</result>') },
    rules: [{ text: '<goto>NEXT</goto>', costUsd: 1.5 }],
  },
  {
    kind: 'nothing-left',
    options: { budgetUsd: 1 },
    states: { 'START.md': 'Begin.', 'NEXT.md': 'Next.' },
    rules: [{ text: '<goto>NEXT</goto>', costUsd: 1 }],
  },
  {
    kind: 'continued',
    options: { turnsPerHistory: 3 },
    eventsPerHistory: 40,
    states: {
      'START.sh': ends('<call return="AFTER" input="kept">LOOP</call>'),
      'LOOP.sh':
        'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n\n[ "$n" -lt 8 ] && echo "<fork next=\\"LOOP\\">W</fork>" || echo "<result>$n</result>"\n',
      'W.sh': ends('<result>w</result>'),
      'AFTER.sh': ends('<result>back</result>'),
    },
    agents: ['main'],
  },
  {
    kind: 'main-ends',
    states: { 'START.sh': ends('<goto>END</goto>'), 'END.sh': ends('<result>x</result>') },
  },
  {
    // The run continues as new while main works.
    kind: 'main-ends-later',
    eventsPerHistory: 40,
    states: {
      'START.sh':
        'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n\n[ "$n" -lt 6 ] && echo "<fork next=\\"START\\">W</fork>" || echo "<result>$n</result>"\n',
      'W.sh': ends('<result>w</result>'),
    },
    agents: ['main'],
  },
  {
    // Main works when its run is terminated, and when the next one begins.
    kind: 'main-adopted',
    states: {
      'START.sh': waits('<goto>END</goto>'),
      'END.sh': ends('<result>x</result>'),
    },
    drive: async (run) => {
      await run.made('started');
      await run.terminate();
      await run.revive();
      await run.write('go', '');
    },
  },
  {
    kind: 'lost',
    options: { probeSeconds: 1 },
    states: {
      'START.sh': ends('<fork next="QUIET">SLOW</fork>'),
      'QUIET.sh': ends('<result>x</result>', 'sleep 2.5'),
      'SLOW.sh': 'touch started; sleep 600\n',
    },
    drive: async (run) => {
      await run.made('started');
      await run.terminate('main_slow1');
    },
  },
  {
    kind: 'orphan',
    states: {
      'START.sh': waits('<fork next="END">W</fork>'),
      'W.sh': ends('<result>x</result>'),
      'END.sh': ends('<result>x</result>'),
    },
    drive: async (run) => {
      await run.made('started');
      await run.terminate();
      await run.write('go', '');
    },
  },
  {
    kind: 'torn',
    states: {
      'START.sh': waits('<fork>W</fork><fork>W</fork><goto>END</goto>'),
      'W.sh': ends('<result>x</result>'),
      'END.sh': ends('<await next="SUM">'),
      'SUM.sh': ends('<result>x</result>'),
    },
    drive: async (run) => {
      await run.made('started');
      await run.terminate();
      await run.write('go', '');
      await run.ended('main');
      await run.revive();
    },
  },
  {
    kind: 'asked',
    states: {
      'START.md': 'Begin.',
      'NEXT.sh': ends('<ask next="MORE" upload_bucket="true">And files?</ask>'),
      'MORE.sh': ends('<result>x</result>'),
    },
    rules: [{ text: '<ask next="NEXT" timeout="1h">Which?</ask>' }],
    drive: async (run) => {
      await run.answer('ask_main_1', { text: 'this one' });
      await run.answer('ask_main_2', { text: 'here', file: 'a.txt' });
    },
  },
  {
    kind: 'not-answered',
    states: {
      'START.sh': ends('<ask next="START" timeout="1" timeout_next="LATE">Anybody?</ask>'),
      'LATE.sh': ends('<ask next="START" timeout="1">Nobody?</ask>'),
    },
  },
  {
    kind: 'ask-rejected',
    options: { rejectAsks: true },
    states: { 'START.sh': ends('<ask next="START">Anybody?</ask>') },
  },
  {
    kind: 'asked-over-histories',
    options: { turnsPerHistory: 1 },
    states: { 'START.sh': ends('<ask next="END">Which?</ask>'), 'END.sh': ends('<result>x</result>') },
    drive: (run) => run.answer('ask_main_1', { text: 'this one' }),
  },
  {
    kind: 'delayed',
    states: {
      'START.sh': ends('<goto delay="1">A</goto>'),
      'A.sh': ends('<reset delay="0.5s" task="new">B</reset>'),
      'B.sh': ends('<result>x</result>'),
    },
  },
  {
    kind: 'awaited',
    states: {
      'START.sh': ends('<fork>W</fork><fork task="inherit">BAD</fork><goto>SUM</goto>'),
      'W.sh': ends('<result>w</result>', 'sleep 1'),
      'BAD.sh': 'exit 1\n',
      'SUM.sh': ends('<await next="END">'),
      'END.sh': ends('<result>x</result>'),
    },
    agents: ['main'],
  },
  {
    kind: 'archived',
    // More completed agents than a ledger lists.
    states: {
      'START.sh': ends(`${'<fork>W</fork>'.repeat(205)}<goto>SUM</goto>`),
      'W.sh': ends('<result>w</result>'),
      'SUM.sh': ends('<await next="END">'),
      'END.sh': ends('<result>x</result>'),
    },
    agents: ['main'],
  },
  {
    kind: 'workflows',
    states: {
      'START.sh': ends('<call-workflow return="BACK" input="x">../other/</call-workflow>'),
      'BACK.sh': ends('<function-workflow return="FORK">../other/START</function-workflow>'),
      'FORK.sh': ends('<fork-workflow next="LAST">../other/</fork-workflow>'),
      'LAST.sh': ends('<reset-workflow>../other/</reset-workflow>'),
      '../other/START.sh': ends('<result>x</result>'),
    },
  },
  {
    kind: 'retried',
    states: {
      'START.sh':
        '# raymond: retries=2\n[ "$(wc -l 2>/dev/null < n)" = 1 ] && echo "<result>x</result>" && exit 0\necho >> n; exit 1\n',
    },
  },
  {
    kind: 'paused-at-limit',
    options: { pauseAtLimit: true },
    states: { 'START.md': 'Begin.' },
    rules: [
      {
        ...LIMITED,
        times: 1,
        rateLimit: { status: 'rejected', rateLimitType: 'five_hour', resetsAt: Math.ceil(Date.now() / 1000) + 3600 },
      },
      { text: '<result>ok</result>' },
    ],
    drive: async (run) => {
      await run.paused();
      await run.resume();
    },
  },
  {
    kind: 'steered',
    // Paused with an agent that is only just forked, and told something, over several histories.
    options: { turnsPerHistory: 1 },
    states: {
      'START.sh': waits('<fork next="NEXT">W</fork>'),
      'W.sh': ends('<result>w</result>'),
      'NEXT.sh': ends('<goto>ASK</goto>'),
      'ASK.md': 'Ask.',
    },
    rules: [{ text: '<result>heard</result>' }],
    drive: async (run) => {
      await run.made('started');
      await run.tell('main', 'Mind the gap.');
      await run.pause();
      await run.write('go', '');
      await run.paused();
      await run.resume();
    },
  },
  {
    kind: 'moved',
    // A turn torn by a pause, another one by a move, and an agent that failed and is let go on while the run is open.
    states: {
      'START.sh': waits('<result>x</result>'),
      'NEXT.sh': ends('<fork next="HOLD">FAIL</fork>'),
      'FAIL.sh': ends('<result>mended</result>', '[ -f mend ] || exit 1'),
      'HOLD.sh': ends('<await next="END"></await>', 'until [ -f free ]; do sleep 0.05; done'),
      'END.sh': ends('<result>end</result>'),
    },
    drive: async (run) => {
      await run.made('started');
      await run.pause({ now: true });
      await run.paused();
      await run.resume();
      await run.move('main', { kind: 'goto', target: 'NEXT.sh', now: true });
      await run.failed('main_fail1');
      await run.write('mend', '');
      await run.retry('main_fail1');
      await run.write('free', '');
    },
  },
  {
    kind: 'limited',
    // Two agents for one place: the first turn of the state asks for it on its worker, later ones by signal.
    limited: true,
    states: {
      'START.sh': ends('<fork next="WORK">WORK</fork>'),
      'WORK.sh': `# raymond: limit=db\n${ends('<goto>AGAIN</goto>', 'sleep 0.3')}`,
      'AGAIN.sh': `# raymond: limit=db\n${ends('<goto>WORK2</goto>', 'sleep 0.3')}`,
      'WORK2.sh': `# raymond: limit=db\n${ends('<result>x</result>')}`,
    },
  },
  {
    kind: 'scheduled',
    scheduled: true,
    states: { 'START.sh': ends('<goto>END</goto>'), 'END.sh': ends('<result>x</result>') },
  },
  {
    kind: 'workspaces',
    // A workspace that begins with what a branch is then, one that a fork shares and one of its own; the files go to a branch in the end.
    repository: true,
    states: {
      'START.sh': ends('<fork next="WAIT">SHARE</fork><fork next="WAIT" cd="new">OWN</fork>', 'echo more >> README.md'),
      'SHARE.sh': ends('<result>shared</result>', 'echo s > shared'),
      'OWN.sh': ends('<result>own</result>', 'echo o > own'),
      'WAIT.sh': ends('<await next="END">'),
      'END.sh': ends('<result>x</result>'),
    },
  },
  {
    kind: 'budget-raised',
    options: { budgetUsd: 1 },
    states: { 'START.md': 'Begin.', 'NEXT.md': 'Next.', 'END.sh': ends('<result>x</result>') },
    rules: [
      { match: '^Begin', text: '<goto>NEXT</goto>', costUsd: 1 },
      { match: '^Next', text: '<goto>END</goto>', costUsd: 1 },
    ],
    drive: async (run) => {
      await run.closed();
      await run.revive({ usd: 5 });
    },
  },
  {
    // A closed run that starts its agents again: it is shown as running before one of them lives.
    kind: 'restarted',
    states: { 'START.sh': '[ -f go ] || exit 1\necho "<result>x</result>"\n' },
    drive: async (run) => {
      await run.closed();
      await run.write('go', '');
      await run.revive();
    },
  },
  {
    // Agents that wait for the rest of the budget, also while the run continues as new.
    kind: 'money-waits',
    options: { budgetUsd: 0.045 },
    eventsPerHistory: 40,
    states: {
      'START.md': 'Begin.',
      'FORK.sh': ends(`${'<fork>TURN</fork>'.repeat(6)}<goto>END</goto>`),
      'TURN.md': 'Turn.',
      'END.sh': ends('<result>x</result>'),
    },
    rules: [
      { match: '^Begin', text: '<goto>FORK</goto>', costUsd: 0.02 },
      { text: '<result>turn</result>', costUsd: 0.001, delayMs: 1500 },
    ],
  },
];
