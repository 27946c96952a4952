// The start of the page: exchanges the token in the address for a cookie, then shows the
// application. The token is removed from the address at once, so that neither history nor bookmarks
// contain it.
import { render } from 'preact';
import { App } from './app.js';
import { openLink, signIn } from './session.js';

const token = /^#token=([^&]+)/.exec(location.hash)?.[1];
if (token !== undefined) history.replaceState(undefined, '', location.pathname);
await (token === undefined ? signIn(undefined) : openLink(decodeURIComponent(token)));

// An address that is pasted into an open tab changes the hash only.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) location.reload();
});

const root = document.getElementById('page');
if (root !== null) render(<App />, root);
