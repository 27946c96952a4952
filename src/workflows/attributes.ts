// The search attributes of Raymond: their names and types, and which of them to set.
import type { SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../protocol/ids.js';

type Name = keyof typeof SEARCH_ATTRIBUTES;

/** What each type of attribute holds. */
interface ValueOf {
  readonly Keyword: string;
  readonly Double: number;
  readonly KeywordList: readonly string[];
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
    if (typeof value === 'object') return [{ key: defineSearchAttributeKey(name, 'KEYWORD_LIST'), value: [...value] }];
    return value === undefined ? [] : [{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }];
  });
}

const TYPES = { Keyword: 'KEYWORD', Double: 'DOUBLE', KeywordList: 'KEYWORD_LIST' } as const;

/** What a workflow shows in the attributes that this cluster has. */
export function shownIn(attributes: TypedSearchAttributes): ShownAttributes {
  const values = NAMES.map((name) => {
    return [name, attributes.get(defineSearchAttributeKey(name, TYPES[SEARCH_ATTRIBUTES[name]]))] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
