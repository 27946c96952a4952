// The graph of a workflow as the server draws it: as a picture, so that nothing in it runs. The last one stays until the next is there.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../resource.js';
import type { ServeEvent } from '../../serve/types.js';
import { Loading, ProblemNote } from './bits.js';

interface GraphProps {
  readonly name: string;
  /** What it shows, for those who do not see it. */
  readonly words: string;
  readonly load: () => Promise<Blob>;
  readonly when?: (event: ServeEvent) => boolean;
}

/** The picture. */
export function Graph({ name, words, load, when }: GraphProps): JSX.Element {
  const { data, problem } = useResource({
    key: `graph ${name}`,
    load,
    everyMs: 1500,
    ...(when === undefined ? {} : { when }),
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (data === undefined) return;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => {
      // What is shown is read already; what replaces it is there in a moment.
      setTimeout(() => URL.revokeObjectURL(made), 2000);
    };
  }, [data]);
  return (
    <>
      <ProblemNote problem={problem} />
      {url === undefined ? (
        problem === undefined && <Loading what="the graph" />
      ) : (
        <div class="scroll graph" tabIndex={0} role="region" aria-label="Graph of the states">
          <img src={url} alt={words} />
        </div>
      )}
    </>
  );
}
