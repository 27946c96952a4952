// Types of what the replay test uses of recording.mjs.

/** The payloads of a history as text. */
export function payloadsIn(history: string): readonly string[];
