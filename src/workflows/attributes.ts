// The search attributes of Raymond: their names and types, and which of them to set.
import type { SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { defineSearchAttributeKey } from '@temporalio/common';

const keys = {
  RaymondWorkflow: defineSearchAttributeKey('RaymondWorkflow', 'KEYWORD'),
  RaymondRun: defineSearchAttributeKey('RaymondRun', 'KEYWORD'),
  RaymondAgent: defineSearchAttributeKey('RaymondAgent', 'KEYWORD'),
  RaymondState: defineSearchAttributeKey('RaymondState', 'KEYWORD'),
  RaymondStatus: defineSearchAttributeKey('RaymondStatus', 'KEYWORD'),
} as const;
const costKey = defineSearchAttributeKey('RaymondCostUsd', 'DOUBLE');

/** The search attributes of Raymond by name, except the cost. */
export type ShownAttributes = Partial<Record<keyof typeof keys, string>> & { readonly RaymondCostUsd?: number };

/** The pairs to set: only attributes that this cluster knows, for an unknown one makes a start fail. */
export function attributePairs(shown: ShownAttributes, registered: readonly string[]): SearchAttributePair[] {
  const { RaymondCostUsd: cost, ...words } = shown;
  const pairs: SearchAttributePair[] = (Object.keys(keys) as (keyof typeof keys)[]).flatMap((name) => {
    const value = words[name];
    return value === undefined || !registered.includes(name) ? [] : [{ key: keys[name], value }];
  });
  const known = cost !== undefined && registered.includes(costKey.name);
  return known ? [...pairs, { key: costKey, value: cost }] : pairs;
}

/** What a workflow shows, as far as this cluster knows the attributes. */
export function shownIn(attributes: TypedSearchAttributes): ShownAttributes {
  const words = Object.entries(keys).map(([name, key]) => [name, attributes.get(key)] as const);
  const cost = attributes.get(costKey);
  return {
    ...Object.fromEntries(words.filter(([, word]) => word !== undefined)),
    ...(cost === undefined ? {} : { RaymondCostUsd: cost }),
  };
}
