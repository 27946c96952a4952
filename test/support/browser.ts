// A browser for tests of the page: Debian's Chromium without a window, closed when the file is done. A page that throws, or that is refused
// something by the policy of the server, fails its test.
import { expect } from '@jest/globals';
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { chromiumPath } from '../../scripts/chromium.mjs';
import { beforeRemoval } from './folder.js';

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** Starts it. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  beforeRemoval(() => browser.close());
  return browser;
}

/** A tab with what went wrong in it. */
export interface Tab {
  readonly page: Page;
  readonly errors: readonly string[];
}

/** Somebody's browser, whose tabs share cookies and what they store. */
export async function openContext(browser: Browser, options: ContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(30_000);
  return context;
}

/** Another tab. */
export async function openTab(context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/.test(message.text())) errors.push(message.text());
  });
  return { page, errors };
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Fails when a program that checks for those who do not see the page, or use no mouse, finds anything. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(await readFile(axe, 'utf8'));
  const found = await page.evaluate<readonly string[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`))',
  );
  expect({ at: page.url(), found }).toEqual({ at: page.url(), found: [] });
}

/** Fails when something is wider than the window. */
export async function expectFitting(page: Page): Promise<void> {
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect({ at: page.url(), tooWide: wide }).toEqual({ at: page.url(), tooWide: 0 });
}
