// The forms of a report. Light to import: every command line knows them.
/** All of them. */
export const TEST_FORMATS = ['text', 'json', 'junit'] as const;

/** One of them. */
export type TestFormat = (typeof TEST_FORMATS)[number];
