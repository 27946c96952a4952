// Writes a tag as text: in reminders to a model, and in messages to people.
// Must stay the inverse of parse.ts.
import type { Tag } from './tag.js';
import { clip } from './text.js';

/**
 * The tag as a state would write it. A value with both kinds of quotes has no spelling as an attribute: its double quotes
 * become single ones.
 */
export function renderTag(tag: Tag): string {
  const { body, attributes } = written(tag);
  const list = attributes.map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `<${tag.kind}${list.join('')}>${body}</${tag.kind}>`;
}

/** The tag in short: its name and what it holds, without its attributes. */
export function outlineTag(tag: Tag): string {
  const { body } = written(tag);
  return `<${tag.kind}>${clip(body.replace(/\s+/g, ' '), 40)}</${tag.kind}>`;
}

interface Written {
  readonly body: string;
  readonly attributes: readonly (readonly [string, string])[];
}

function written(tag: Tag): Written {
  switch (tag.kind) {
    case 'result':
      return { body: tag.payload, attributes: [] };
    case 'ask': {
      const { kind: _kind, prompt, ...attributes } = tag;
      return { body: prompt, attributes: Object.entries(attributes) };
    }
    case 'await':
      return { body: '', attributes: [['next', tag.next]] };
    case 'fork': {
      const { kind: _kind, target, attributes, ...ours } = tag;
      return { body: target, attributes: [...Object.entries(ours), ...Object.entries(attributes)] };
    }
    default: {
      const { kind: _kind, target, ...attributes } = tag;
      return { body: target, attributes: Object.entries(attributes) };
    }
  }
}

function quoted(value: string): string {
  if (!value.includes('"')) return `"${value}"`;
  return value.includes("'") ? `"${value.replaceAll('"', "'")}"` : `'${value}'`;
}
