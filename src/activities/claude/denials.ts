// What would have permitted a tool that was denied: the line for `allowed_tools` that people are shown. Must not permit anything itself.
import type { ToolUse } from './events.js';

/** The narrowest sensible rule: a command by its first word, any other tool by name. Compound commands need all of Bash. */
export function allowedToolFor({ tool, detail }: ToolUse): string {
  if (tool !== 'Bash' || detail === undefined || /[;&|`$<>()\n]/.test(detail)) return tool;
  const [program] = detail.trim().split(/\s+/);
  return program !== undefined && /^[\w./-]+$/.test(program) ? `Bash(${program} *)` : tool;
}
