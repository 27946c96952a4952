// Markdown of agents, without active content: HTML is shown as text, pictures are not loaded, and
// links open in a new tab.
import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

const OPTIONS = {
  // What is disabled here stays text: raw HTML would be escaped anyway, and pictures would contact
  // any server that an agent names.
  extensions: [gfmTable(), { disable: { null: ['htmlFlow', 'htmlText', 'labelStartImage'] } }],
  htmlExtensions: [gfmTableHtml()],
};

/** A text as Markdown. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const html = useMemo(() => micromark(text, OPTIONS), [text]);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    for (const link of place.current?.querySelectorAll('a') ?? []) {
      link.target = '_blank';
      link.rel = 'noopener noreferrer nofollow';
      // An address within this page would be a button made by an agent.
      if (!/^(?:https?|mailto):/.test(link.getAttribute('href') ?? '')) link.removeAttribute('href');
    }
    for (const table of place.current?.querySelectorAll('table, pre') ?? []) table.setAttribute('tabindex', '0');
  }, [html]);
  return <div class="markdown" ref={place} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** What a text says, without its Markdown. */
export function plainText(text: string): string {
  const { body } = new DOMParser().parseFromString(micromark(text, OPTIONS), 'text/html');
  return body.textContent;
}
