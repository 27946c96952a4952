// What calls of a JavaScript program do to its output.
import type { Effect, Expression } from './program.js';

/** What a call prints; `foreign` = the names that other modules define. */
export function effectOf(call: Expression & { readonly kind: 'call' }, foreign: ReadonlySet<string>): Effect {
  const { name, args } = call;
  if (/^(?:console\.(?:log|info)|process\.stdout\.write)$/.test(name)) return 'stdout';
  if (/^(?:console\.(?:error|warn)|process\.stderr\.write)$/.test(name)) return 'stderr';
  if (name === 'process.exit') return 'exit';
  if (/^process\.(?:abort|kill)$/.test(name)) return 'fail';
  if (/^(?:fs\.)?write(?:File)?Sync$/.test(name)) {
    const [target] = args;
    return target?.kind === 'text' && /^(?:1|\/dev\/stdout)$/.test(target.text.text) ? 'open' : 'silent';
  }
  return foreign.has(name.split('.')[0] ?? '') ? 'open' : 'silent';
}
