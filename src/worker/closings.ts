// What was begun for something that may yet fail: closed in reverse order when it does.

/** Parts that are open. */
export class Closings {
  private readonly open: (() => Promise<void>)[] = [];

  /** Remembers how to close a part. */
  add(close: () => Promise<void>): void {
    this.open.push(close);
  }

  /** Closes everything, the last part first. One that cannot be closed does not keep the others open. */
  async closeAll(): Promise<void> {
    for (const close of this.open.splice(0).reverse()) await close().catch(() => undefined); // the failure before it counts
  }
}
