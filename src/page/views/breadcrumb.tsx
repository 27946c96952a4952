// The way back: from a turn to its agent and its run.
import type { JSX } from 'preact';
import { hrefOf } from '../router.js';

/** Links to what contains this. */
export function Breadcrumb({ run, agent }: { readonly run: string; readonly agent?: string }): JSX.Element {
  return (
    <nav class="trail" aria-label="Breadcrumb">
      <a href={hrefOf({ view: 'runs' })}>Runs</a> <span aria-hidden="true">›</span>{' '}
      <a href={hrefOf({ view: 'run', run, tab: 'agents' })}>{run}</a>
      {agent !== undefined && (
        <>
          {' '}
          <span aria-hidden="true">›</span> <a href={hrefOf({ view: 'agent', run, agent })}>{agent}</a>
        </>
      )}
    </nav>
  );
}
