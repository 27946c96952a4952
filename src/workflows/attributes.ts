// The search attributes of Raymond: their names and types, and which of them to set.
import type { SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../protocol/ids.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** What each type of attribute holds. */
interface ValueOf {
  readonly Keyword: string;
  readonly Double: number;
}

/** What a workflow shows, by the names of its search attributes. */
export type ShownAttributes = { readonly [name in Name]?: ValueOf[(typeof SEARCH_ATTRIBUTES)[name]] };

const NAMES = Object.keys(SEARCH_ATTRIBUTES) as readonly Name[];

/**
 * The pairs to set, only for attributes that this cluster has: a start with an unknown one fails.
 */
export function attributePairs(shown: ShownAttributes, registered: readonly string[]): SearchAttributePair[] {
  return NAMES.filter((name) => registered.includes(name)).flatMap((name): SearchAttributePair[] => {
    const value = shown[name];
    if (typeof value === 'number') return [{ key: defineSearchAttributeKey(name, 'DOUBLE'), value }];
    return value === undefined ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }];
  });
}

/** What a workflow shows in the attributes that this cluster has. */
export function shownIn(attributes: TypedSearchAttributes): ShownAttributes {
  const values = NAMES.map((name) => {
    const type = SEARCH_ATTRIBUTES[name] === 'Double' ? 'DOUBLE' : 'KEYWORD';
    return [name, attributes.get(defineSearchAttributeKey(name, type))] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
