// Why the process of a turn ended.
import type { ProcessEnd } from '../../launcher/client.js';
import type { Exceeded } from '../../sandbox/index.js';

/**
 * Why a process ended: on its own, silent for too long, over its time limit, too much output, over a
 * limit of its sandbox, ended on purpose by its owner, or cancelled.
 */
export type Ending =
  | { readonly kind: 'exited'; readonly end: ProcessEnd }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'overtime'; readonly seconds: number }
  | { readonly kind: 'flooded'; readonly bytes: number }
  | { readonly kind: 'limited'; readonly exceeded: Exceeded }
  | { readonly kind: 'enough' }
  | { readonly kind: 'cancelled' };
