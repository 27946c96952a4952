// Words by which the text of a prompt speaks of the reply, of files and of cases, and what a label is with the words around it. Pure.

/** A label as it stands in a sentence or a form, with the words around it. */
export interface WrittenLabel {
  readonly text: string;
  readonly label: string;
  readonly mark: string;
  readonly rest: string;
  /** The words before it in its sentence, and those after it. */
  readonly before: string;
  readonly after: string;
  /** The sentences above it in its paragraph. */
  readonly above: string;
  readonly isShown: boolean;
  /** True for an item of a list without a value. */
  readonly isItem?: boolean;
  /** The line with other values, where not all of it is a label. */
  readonly variants?: readonly string[];
}

/** The reply of the model. */
export const REPLY =
  /\b(?:reply|replies|answers?|response|responses|respond|message|output)\b|\b(?:before|above)\s+the\s+tag\b/i;

const CASES =
  /\b(?:if|when|unless|whenever|until|once|otherwise|else|in\s+case|for\s+example|such\s+as|e\.g\.|not|never|without|like|instead\s+of|only|either|one\s+of|where\s+(?:there|no|nothing)|optional\w*|choose|may|can)\b|n't\b/i;

/** A remark that something is written in all cases. */
const ALWAYS =
  /\b(?:also|even)\s+(?:if|when|where)\b|\b(?:is|are|may|must)\s+(?:never|not)\s+(?:be\s+)?(?:left\s+out|missing|omitted|skipped)\b|\b(?:do\s+not|don't|never)\s+(?:leave|omit|skip|drop)\b|\bnever\s+(?:leave|omit|skip|left)\b|\bnot\s+(?:only|more\s+than)\b|\bin\s+(?:any|every|each|both|all)\s+cases?\b|\b(?:if|whether)\s+(?:\w+\s+){1,4}or\s+not\b|\bwhen\s+you\s+(?:are\s+|have\s+)?(?:done|finished|ready)\b/gi;

/** Words without those that say that something is written in all cases. */
function withoutAlways(words: string): string {
  return words.replace(ALWAYS, ' ');
}

/** True for words that make a text one of some replies. */
export function isConditional(words: string): boolean {
  return CASES.test(withoutAlways(words));
}

/** True for words after a text that limit it to some replies. */
export function isLimited(words: string): boolean {
  return /\b(?:if|when|unless|whenever|until|once|otherwise|in\s+case|only)\b/i.test(
    withoutAlways(words)
      .replace(/\([^()]*\)/g, ' ')
      .replace(/\b(?:or|and)\b[^.]*$/i, ' '),
  );
}

/** True for a sentence by which the model writes a file. */
export function writesFile(words: string): boolean {
  return /\b(?:writ|sav|put|stor|record|append|creat|updat|edit|fill|add|sum|summari|describ|list|note|draft|translat|compil|collect|explain|outlin)\w*\b[^.!?]{0,80}(?:[\w{}/-]\.[a-z]{2,4}\b|\btask_folder\b)|\bthe\s+(?:file|page|document)\b/i.test(
    words,
  );
}

/** Puts quotes around names that stand without: a line that starts with DONE, the section Open questions, a list after a colon. */
export function withQuotes(text: string): string {
  return text
    .replace(/\b((?:starts?|begins?|ends?)\s+with(?:\s+the\s+word)?)\s+([A-Z]{3,})\b/g, '$1 "$2"')
    .replace(
      /\b((?:sections?|headings?|paragraphs?)\s+(?:called\s+|named\s+|titled\s+)?)([A-Z][a-z]+(?:\s[a-z]+){0,2}?)(?=[.;:]|\s+(?:with|and|that|in|at|where|for)\b)/g,
      '$1"$2"',
    )
    .replace(
      /\b((?:sections?|headings?|lines?|paragraphs?|parts|following)\b(?:[^.:"“`]{0,60}:)?\s*)([A-Z][a-z]+(?:\s(?!and\b)[a-z]+)?(?:,\s*(?:and\s+)?[A-Z][a-z]+(?:\s(?!and\b)[a-z]+)?)+(?:\s+and\s+[A-Z][a-z]+(?:\s[a-z]+)?)?)/g,
      (_whole, lead: string, list: string) =>
        lead + list.replace(/[A-Z][a-z]+(?:\s(?!and\b)[a-z]+)?/g, (name) => `"${name}"`),
    );
}

/** Says that a part may be missing. */
const OMITS =
  /\b(?:leave\s+(?:it|them|that|this|the\s+\w+|out)(?:\s+\w+){0,3}?\s+(?:out|away)|leave\s+out|omit|skip|drop)\b/i;

/** True for a text that lets a reply do without a part of its form. */
export function mayOmit(text: string): boolean {
  return OMITS.test(text.replace(/\b(?:do\s+not|don't|never)\s+(?:leave|omit|skip|drop)\b/gi, ' '));
}
