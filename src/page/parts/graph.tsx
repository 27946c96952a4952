// The graph of a workflow as the server draws it: as a picture, so that no script in it runs, with
// the page's own links over its states. The old picture stays until the next one is loaded.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../resource.js';
import type { ServeEvent } from '../../serve/types.js';
import { Loading, ProblemNote } from './bits.js';

interface GraphProps {
  readonly name: string;
  /** A description of the picture, for screen readers. */
  readonly words: string;
  readonly load: () => Promise<Blob>;
  readonly when?: (event: ServeEvent) => boolean;
  /** The link of a state; absent = none. */
  readonly hrefOf?: (file: string) => string;
}

/**
 * A state in the picture: its file, its description, and its left, top, width and height in pixels.
 */
interface PositionedNode {
  readonly file: string;
  readonly words: string;
  readonly box: readonly number[];
}

/** The picture. */
export function Graph({ name, words, load, when, hrefOf }: GraphProps): JSX.Element {
  const { data, problem } = useResource({
    key: `graph ${name}`,
    load: async () => {
      const picture = await load();
      return { picture, states: hrefOf === undefined ? [] : statesIn(await picture.text()) };
    },
    everyMs: 1500,
    ...(when === undefined ? {} : { when }),
  });
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (data === undefined) return;
    const made = URL.createObjectURL(data.picture);
    setUrl(made);
    return () => {
      // The shown picture is loaded; its replacement follows in a moment.
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
          <div class="picture">
            <img src={url} alt={words} />
            {hrefOf !== undefined &&
              data?.states.map((state) => <StateLink key={state.file} {...state} href={hrefOf(state.file)} />)}
          </div>
        </div>
      )}
    </>
  );
}

function StateLink({ words, box, href }: PositionedNode & { readonly href: string }): JSX.Element {
  const [left = 0, top = 0, width = 0, height = 0] = box;
  const place = { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` };
  return <a class="state" href={href} aria-label={`${words}: its turns`} title={words} style={place} />;
}

/** The states in the picture, read only from their own tags. */
function statesIn(svg: string): readonly PositionedNode[] {
  const tags = svg.match(/<g data-file="[^"]*" data-box="[^"]*"[^>]*>/g) ?? [];
  const read = new DOMParser().parseFromString(`<svg>${tags.map((tag) => `${tag}</g>`).join('')}</svg>`, 'text/xml');
  return [...read.querySelectorAll('g')].map((node) => ({
    file: node.getAttribute('data-file') ?? '',
    words: node.getAttribute('aria-label') ?? '',
    box: (node.getAttribute('data-box') ?? '').split(' ').map(Number),
  }));
}
