// Read-only links: tokens with the role `view` that are made in the page, expire and can be revoked. Their file has
// hashes, so that reading it opens nothing; a token is shown once.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { writeFileAtomic, readJsonFile } from '../../host/files.js';
import { sha256Of } from '../../host/sha256.js';
import { Refusal } from '../problems.js';
import type { Link } from '../types.js';
import { cookieOf, type Identity } from './identity.js';

const kept = z.object({
  id: z.string(),
  name: z.string(),
  by: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  token: z.string(),
  cookie: z.string(),
});
type Kept = Readonly<z.infer<typeof kept>>;

/** How many links are valid at once at most. */
const MOST = 100;
const HOUR_MS = 3_600_000;
/** The longest time of a timer. */
const TIMER_MS = 2 ** 31 - 1;

/** The links of a server. */
export class ViewLinks {
  private links: readonly Kept[];
  private timer: NodeJS.Timeout | undefined;

  /** `changed` is called when a link stops being valid. Links of a damaged file are not valid. */
  constructor(
    private readonly path: string,
    private readonly changed: () => void,
  ) {
    const read = z.array(kept).safeParse(readJsonFile(path));
    this.links = read.success ? read.data : [];
    this.watchExpiry();
  }

  /** The valid ones, newest first. */
  list(): readonly Link[] {
    return this.valid()
      .map(({ token: _token, cookie: _cookie, ...link }) => link)
      .toReversed();
  }

  /** Makes a link that is valid for a number of hours. Throws `Unfit` when there are too many links. */
  async create({
    name,
    hours,
    by,
  }: {
    readonly name: string;
    readonly hours: number;
    readonly by: string;
  }): Promise<{ readonly link: Link; readonly token: string }> {
    if (this.valid().length >= MOST)
      throw new Refusal('Unfit', `there are ${MOST} links already; revoke one with: DELETE /api/links/ID`);
    const token = randomBytes(32).toString('base64url');
    const now = Date.now();
    const link = {
      id: randomBytes(6).toString('hex'),
      name,
      by,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + hours * HOUR_MS).toISOString(),
    };
    await this.save([...this.valid(), { ...link, token: sha256Of(token), cookie: sha256Of(cookieOf(token)) }]);
    return { link, token };
  }

  /** Ends one at once. Throws `NoSuchLink`. */
  async revoke(id: string): Promise<void> {
    const left = this.valid().filter((link) => link.id !== id);
    if (left.length === this.valid().length)
      throw new Refusal('NoSuchLink', `there is no link ${id}; GET /api/links lists the valid ones`);
    await this.save(left);
    this.changed();
  }

  /** The link to which the hash of a token or of a cookie belongs. */
  whose(hash: string, of: 'token' | 'cookie'): Identity | undefined {
    const link = this.valid().find((one) => one[of] === hash);
    return link === undefined ? undefined : { name: `link ${link.name}`, role: 'view' };
  }

  /** Stops watching. */
  close(): void {
    clearTimeout(this.timer);
  }

  private valid(): readonly Kept[] {
    const now = Date.now();
    return this.links.filter(({ expiresAt }) => Date.parse(expiresAt) > now);
  }

  private async save(links: readonly Kept[]): Promise<void> {
    this.links = links;
    this.watchExpiry();
    await writeFileAtomic(this.path, JSON.stringify(links));
  }

  /** Streams that are open when their link expires must end. */
  private watchExpiry(): void {
    clearTimeout(this.timer);
    const next = Math.min(...this.valid().map(({ expiresAt }) => Date.parse(expiresAt)));
    if (next === Infinity) return;
    const wait = Math.min(next - Date.now() + 1, TIMER_MS);
    this.timer = setTimeout(() => {
      this.changed();
      this.watchExpiry();
    }, wait).unref();
  }
}
