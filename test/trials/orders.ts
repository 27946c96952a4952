// Faults that a trial is asked to bring about, and what remains of them for the next one. Pure.

/** A fault that was ordered, and whether it came to pass. */
export interface Tried<Order> {
  readonly order: Order;
  readonly struck: boolean;
}

/** What remains of the orders after a trial; what it has tried in vain comes last. */
export function openAfter<Order>(tried: readonly Tried<Order>[], orders: readonly Order[]): readonly Order[] {
  const struck = new Set(tried.filter((one) => one.struck).map(({ order }) => order));
  const missed = new Set(tried.map(({ order }) => order));
  const open = orders.filter((order) => !struck.has(order));
  return [...open.filter((order) => !missed.has(order)), ...open.filter((order) => missed.has(order))];
}
