// How large a workflow package may be: enough for any collection of prompts and scripts, too little for a bomb.
// Must not hold anything that a user may want to raise.

const MIB = 1024 ** 2;

/** Files (and folders) in one package. */
export const MAX_ENTRIES = 1_000;

/** All files of a package together, unpacked; also a packed archive. */
export const MAX_PACKAGE_BYTES = 64 * MIB;

/** One file of a package, unpacked. */
export const MAX_FILE_BYTES = 16 * MIB;

/** How much smaller than its content a packed file may be, from `RATIO_FROM_BYTES` on; text seldom reaches 20. */
export const MAX_RATIO = 200;

/** Small files may be packed as tightly as they can be. */
export const RATIO_FROM_BYTES = MIB;

/** A YAML file. */
export const MAX_YAML_BYTES = 4 * MIB;

/** The pieces (keys, values, signs, line ends outside of texts) of a YAML file: its parser needs up to 3 s for so many. */
export const MAX_YAML_TOKENS = 100_000;

/** How deep lists and mappings may lie in each other in a value that is passed on. */
export const MAX_YAML_DEPTH = 20;
