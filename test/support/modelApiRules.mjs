// Which answer a scripted model gives: the first rule that fits the newest words of the user. Plain JavaScript, see modelApiRules.d.mts.
// A request that no rule fits is a mistake of the test: it is recorded and answered with 400, so that it can never pass for an answer.

/** Turns rules into a `reply` function that remembers what it could not answer. */
export function script(rules) {
  const used = rules.map(() => 0);
  const mismatches = [];
  const reply = (request) => {
    const index = rules.findIndex((rule, at) => used[at] < (rule.times ?? Infinity) && fits(rule, request.newest));
    if (index < 0) return unanswered(request, mismatches);
    used[index] += 1;
    return pick(rules[index].reply, request);
  };
  return Object.assign(reply, { mismatches });
}

function fits({ contains, matches }, text) {
  if (contains !== undefined && !text.includes(contains)) return false;
  return matches === undefined || new RegExp(matches).test(text);
}

function unanswered(request, mismatches) {
  const message = `no rule of the scripted model fits ${JSON.stringify(request.newest)}`;
  mismatches.push(message);
  return { status: 400, message, headers: { 'x-should-retry': 'false' } };
}

/** A list answers a chain of tool calls: one element for every answer since the user's newest words. */
function pick(reply, { conversation }) {
  if (!Array.isArray(reply)) return reply;
  const asked = conversation.findLastIndex(({ role, kind }) => role === 'user' && kind === 'text');
  const answers = conversation.slice(asked).filter(({ kind }) => kind === 'tool-result').length;
  return reply[Math.min(answers, reply.length - 1)];
}
