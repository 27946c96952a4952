/** The path of Chromium; throws when there is none, saying what to do. */
export function chromiumPath(): string;
