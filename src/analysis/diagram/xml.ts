// Text in SVG and HTML: names come from files and tags, and nothing of them may become markup.
import { visible } from '../../protocol/text.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text as it stands in an element or a quoted attribute. */
export function escapedXml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
