// The forms that the text of a prompt shows: lines with labels and headings below a sentence that leads to them. Pure.
import { isConditional, REPLY, writesFile, type WrittenLabel } from './reply-words.js';

/** A form; `isChoice` = each reply has one of its lines. */
interface Form {
  readonly lines: readonly WrittenLabel[];
  readonly isAlways: boolean;
  readonly isChoice: boolean;
}

/** A paragraph with the paragraph above it. */
interface Prose {
  readonly text: string;
  readonly above: string;
}

/** The forms of a text, and the paragraphs that are none. */
export function formLinesIn(text: string): { readonly forms: readonly Form[]; readonly prose: readonly Prose[] } {
  const forms: { lines: WrittenLabel[]; lead: string; above: string }[] = [];
  const prose: Prose[] = [];
  let [lead, above, isOpen] = ['', '', false];
  for (const paragraph of withIndentedFences(text).split(/\n[ \t]*\n/)) {
    const words: string[] = [];
    for (const line of paragraph.split('\n')) {
      const written = formLine(line);
      if (written === undefined && NO_WORDS.test(line)) continue;
      const ownLead = words.join(' ').trim();
      if (written === undefined || (words.length > 0 && !isLead(ownLead))) {
        words.push(line);
        continue;
      }
      const newLead = ownLead === '' ? lead : ownLead;
      if (!isOpen || (newLead !== '' && isLead(newLead))) {
        forms.push({ lines: [], lead: isLead(newLead) ? newLead : '', above: ownLead === '' ? above : lead });
        isOpen = true;
      }
      forms.at(-1)?.lines.push({ ...written, above: `${above} ${newLead}` });
      lead = '';
      words.length = 0;
      if (ownLead !== '') prose.push({ text: ownLead, above });
    }
    const rest = words.join('\n');
    if (rest.trim() === '') continue;
    prose.push({ text: rest, above: lead });
    // A description stands between the headings of a form.
    if (isLead(rest) || /<[a-z]+\b[^<>]*>/.test(rest)) isOpen = false;
    [above, lead] = [lead, rest];
  }
  return { prose, forms: forms.filter((form) => form.lead !== '').map(formOf) };
}

/** A line of a form without words: of a table, or with brackets. */
const NO_WORDS = /^[ \t]*[|:{}()[\],-]+[|:{}()[\],\s-]*$/;

/** Makes the lines of code fences indented ones, without blank lines. */
function withIndentedFences(text: string): string {
  return text.replace(/^[ \t]*(```|~~~)[^\n]*\n([^]*?)\n[ \t]*\1[ \t]*$/gm, (_whole, _mark, inner: string) =>
    inner
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => `    ${line}`)
      .join('\n'),
  );
}

const LABEL =
  /^(\s*)(?:(?:[-*]|\d+[.)])\s+)?((?:\*\*|__|`)?)([A-Za-z][\w /'-]{0,40}?)(\s?[:=](?:\*\*|__)?|(?:\*\*|__)\s?[:=])(?:\s+(.*)|(?=\d)(.*)|)$/;

const SHOWN = { before: '', after: '', above: '', isShown: true } as const;

/** A line of a form: a label with its value, a heading, a row of a table, an item of a list, or a line that a fence shows. */
function formLine(line: string): WrittenLabel | undefined {
  return labelLine(line) ?? rowOrItem(line) ?? shownLine(line);
}

function rowOrItem(line: string): WrittenLabel | undefined {
  const [, cell = ''] = /^\s*\|([^|]*)\|.*\|\s*$/.exec(line) ?? [];
  const row = cell.trim();
  if (/[A-Za-z]/.test(row)) return { ...SHOWN, text: row, label: row, mark: '', rest: '' };
  const [, bold, plain] =
    /^\s*(?:[-*]|\d+[.)])\s+(?:\*\*([^*\n]{2,50}?):?\*\*:?(?:\s.*)?|([A-Z][\w-]*(?:\s[\w-]+){0,4}))$/.exec(line) ?? [];
  const item = bold ?? plain;
  return item === undefined ? undefined : { ...SHOWN, text: item, label: item, mark: '', rest: '', isItem: true };
}

/** A line that a fence or an indentation shows: each value in it may be another one. */
function shownLine(line: string): WrittenLabel | undefined {
  const text = line.trim();
  if (!/^(?: {4}|\t)/.test(line) || text.length < 3 || text.length > 200 || /\{\{|<[a-z]+>|^[-|\s:]+$/.test(text))
    return undefined;
  const variants = ['x', '0', '"none"', '[1]'].map((value) =>
    text.replace(/([:=]\s*)("[^"]*"|\[[^\]]*\]|[^\s,;|]+)/g, (_whole, mark: string) => mark + value),
  );
  return { ...SHOWN, text, label: text, mark: '', rest: '', variants: [...new Set([text, ...variants])] };
}

function labelLine(line: string): WrittenLabel | undefined {
  const [, heading] = /^\s*(#{1,4}\s+\S.{0,60}?)\s*$/.exec(line) ?? [];
  if (heading !== undefined) return { ...SHOWN, text: heading, label: heading, mark: '', rest: '' };
  const [, indent = '', bold = '', name, mark = '', spaced, close] = LABEL.exec(line) ?? [];
  const rest = (spaced ?? close ?? '').replace(/`$/, '').trim();
  const open = bold === '`' ? '' : bold;
  if (name === undefined || rest.includes('{{') || rest.length > 120) return undefined;
  if (indent.length < 4 && !/^[A-Z]/.test(name)) return undefined;
  // "Report in three lines:" leads to a form.
  if (rest === '' && open === '' && (ORDERS.test(name) || /\w\s+\w+\s+\w/.test(name))) return undefined;
  if (name.trim().split(/\s+/).length > 5 || /\w=\S/.test(rest)) return undefined;
  const label = open + name;
  return {
    ...SHOWN,
    text: `${label}${mark} ${rest}`.trim(),
    label,
    mark: spaced === undefined && close !== undefined ? mark : `${mark} `,
    rest: rest === '' ? '…' : rest,
  };
}

const FORM =
  /\b(?:templates?|forms?|formats?|layouts?|outlines?|structures?|skeleton|scheme|headings?|sections?|lines?|fields?|counters?|labels?|parts?|blocks?|order|way|style|head|header|footer|summary|points?|values?|counts?|numbers?|figures?|questions?|like\s+this|as\s+follows|looks?\s+like)\b/i;

/** True for a sentence that leads to a form. */
function isLead(words: string): boolean {
  const last = lastSentence(words);
  return (
    /:\s*$/.test(words) ||
    (/\b(?:this|these|the\s+following|following)\b/i.test(last) && FORM.test(last)) ||
    (/\b(?:this|these|the\s+following|following)\b/i.test(words) && FORM.test(words) && words.length < 300)
  );
}

function lastSentence(words: string): string {
  return (
    words
      .replace(/\([^()]*\)/g, ' ')
      .trim()
      .split(/[.!?]\s+/)
      .at(-1) ?? ''
  );
}

const ORDERS =
  /\b(?:writ\w*|put|add|print|give|state|report|begin|starts?|ends?|end|finish|close|reply|answer|respond|use|fill|keep|follow|must|should|copy|conclude|include|append|show|sum)\b/i;

/** What a lead says of the reply, or of something else. */
const STATES = /\b(?:has|have|consists?|contains?|looks?|needs?)\b/i;

/** A lead to lines of which a reply has one. */
const CHOICE =
  /\b(?:one\s+of|either|or|choose|pick|select|levels|verdicts|grades|categories|classes|kinds|types|cases|means|meanings?|options|keywords|markers|words|depending|applies|fits)\b/i;

function formOf({
  lines,
  lead,
  above,
}: {
  readonly lines: readonly WrittenLabel[];
  readonly lead: string;
  readonly above: string;
}): Form {
  const last = lastSentence(lead);
  const isOfReply = REPLY.test(lead) || (REPLY.test(above) && !writesFile(lead)) || !writesFile(`${above} ${lead}`);
  const isExample = last.replace(/\b(?:for\s+example|such\s+as|e\.g\.|like(?:\s+this)?)\b/gi, ' ');
  const isChoice = CHOICE.test(isExample);
  const words = isExample.replace(/\b(?:either|one\s+of|choose|only)\b/gi, ' ');
  // The items of a list may be points to look at.
  const isList = LISTS.test(last);
  const certain = lines.filter(({ rest, isItem }) => !OPTIONAL.test(rest) && (isItem !== true || isList));
  const earlier =
    lead
      .slice(0, Math.max(0, lead.lastIndexOf(last)))
      .split(/[.!?]\s+/)
      .filter((one) => one.trim() !== '')
      .at(-1) ?? '';
  return {
    lines: certain,
    isChoice,
    isAlways:
      isOfReply &&
      (ORDERS.test(last) || ORDERS.test(lead.replace(last, '')) || (STATES.test(last) && REPLY.test(last))) &&
      !isConditional(words) &&
      !CASE.test(earlier) &&
      !(writesFile(last) && !REPLY.test(last)),
  };
}

const LISTS =
  /\b(?:parts|sections|headings?|rows|columns|fields|lines|template|outline|structure|layout|forms?|format|table)\b/i;

/** A sentence about some replies, which the next one may continue. */
const CASE = /^\s*(?:if|when|otherwise|unless|for\s+each|for\s+every)\b/i;

/** A line that some replies do not have. */
const OPTIONAL =
  /\b(?:only|when|optional|omit|leave)\b|\bif\b(?!\s+(?:any|there\s+are\s+none|so|none|nothing|the\s+notes))/i;
