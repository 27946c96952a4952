// How large a workflow package may be: enough for any set of prompts and scripts, too small for a zip bomb.
const MIB = 1024 ** 2;

/** Files (and folders) in one package. */
export const MAX_ENTRIES = 1_000;

/** All files of a package together, unpacked; also a packed archive. */
export const MAX_PACKAGE_BYTES = 64 * MIB;

/** One file of a package, unpacked. */
export const MAX_FILE_BYTES = 16 * MIB;

/** The largest ratio of unpacked to packed size, from `RATIO_FROM_BYTES` on; text seldom reaches 20. */
export const MAX_RATIO = 200;

/** Below this size any ratio is allowed. */
export const RATIO_FROM_BYTES = MIB;

/** A YAML file. */
export const MAX_YAML_BYTES = 4 * MIB;

/**
 * The tokens (keys, values, punctuation, line ends outside of texts) of a YAML file: its parser takes up to 3 s for
 * this many.
 */
export const MAX_YAML_TOKENS = 100_000;

/** How deep lists and mappings may be nested in a value that is passed on. */
export const MAX_YAML_DEPTH = 20;
