// The corpus of planted faults: each a small package with what lint must find in it, at which line and column. Whatever else it finds that is
// an error or a warning must stand there, too.
import { PACKAGE_FAULTS } from './faults-package.js';
import { STATES_FAULTS } from './faults-states.js';
import { TAGS_FAULTS } from './faults-tags.js';

/** The faults, in the order of the table of rules. */
export const CORPUS = [...PACKAGE_FAULTS, ...TAGS_FAULTS, ...STATES_FAULTS];
