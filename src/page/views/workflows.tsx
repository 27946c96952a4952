// The workflows that can be started, each with its description and its states.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Empty, Heading, Loading, ProblemNote } from '../parts/bits.js';
import { Graph } from '../parts/graph.js';
import { useResource } from '../resource.js';
import { hrefOf } from '../router.js';
import { may } from '../session.js';
import type { Workflow } from '../../serve/types.js';

/** The view. */
export function WorkflowsView(): JSX.Element {
  const { data, problem, reload } = useResource({
    key: 'workflows',
    load: (before: { readonly workflows: readonly Workflow[] } | undefined) => api.workflows(before !== undefined),
  });
  return (
    <>
      <Heading
        more={
          may('operate') && (
            <button type="button" onClick={reload}>
              Rescan
            </button>
          )
        }
      >
        Workflows
      </Heading>
      <ProblemNote problem={problem} />
      {data === undefined && problem === undefined && <Loading what="the workflows" />}
      {data?.workflows.length === 0 && (
        <Empty>
          There is no workflow in this project yet. To make one, run <code>raymond init</code>.
        </Empty>
      )}
      <div class="cards">
        {data?.workflows.map((workflow) => (
          <WorkflowCard key={workflow.id} workflow={workflow} />
        ))}
      </div>
    </>
  );
}

function WorkflowCard({ workflow }: { readonly workflow: Workflow }): JSX.Element {
  const { id, name, description, path, problem, asks } = workflow;
  const [isDrawn, setDrawn] = useState(false);
  return (
    <article class="card" aria-labelledby={`workflow-${id}`}>
      <h2 id={`workflow-${id}`}>
        <a href={hrefOf({ view: 'workflow', workflow: id })}>{name}</a>
      </h2>
      <p class="muted">
        {path}
        {asks === true && ' · asks people'}
      </p>
      {description !== undefined && <p>{description}</p>}
      {problem !== undefined && <p class="problem">{problem}</p>}
      <div class="row">
        {may('operate') && problem === undefined && (
          <a class="button primary" href={hrefOf({ view: 'start', workflow: id })}>
            Start {name}
          </a>
        )}
        {problem === undefined && (
          <button type="button" aria-expanded={isDrawn} onClick={() => setDrawn(!isDrawn)}>
            Show graph
          </button>
        )}
      </div>
      {isDrawn && (
        <Graph
          name={`of ${id}`}
          words={`The states of ${name} and how they follow each other`}
          load={() => api.workflowDiagram(id)}
        />
      )}
    </article>
  );
}
