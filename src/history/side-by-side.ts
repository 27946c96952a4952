// Work on many things, some of them at once, with what comes of it in their order.

/** What `work` makes of each item, in the order of the items; at most `atOnce` are under way, or wait to be taken. */
export async function* sideBySide<T, R>(
  items: Iterable<T>,
  { atOnce, work }: { readonly atOnce: number; readonly work: (item: T) => Promise<R> },
): AsyncGenerator<R> {
  const started: Promise<R>[] = [];
  const next = async (): Promise<R> => await (started.shift() as Promise<R>);
  for (const item of items) {
    const one = work(item);
    one.catch(() => undefined); // it is thrown where it is taken
    started.push(one);
    if (started.length >= atOnce) yield await next();
  }
  while (started.length > 0) yield await next();
}
