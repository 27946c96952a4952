// The routes of read-only links.
import type { Handlers } from '../handlers.js';

/** The routes of this file. */
export const linkHandlers: Handlers<'links' | 'createLink' | 'revokeLink'> = {
  links: ({ links }) => Promise.resolve({ links: links.list() }),
  createLink: async ({ links }, { body, who }) => await links.create({ ...body, by: who.name }),
  revokeLink: async ({ links }, { params }) => {
    await links.revoke(params.link);
    return undefined;
  },
};
