// The graph of a workflow as the server draws it: as a picture, so that no script in it runs, with
// the page's own links over its states. It fits the page, zooms, and is dragged. The old picture
// stays until the next one is loaded.
import type { JSX, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useResource } from '../resource.js';
import { theme } from '../theme.js';
import type { ServeEvent } from '../../serve/types.js';
import { Loading, ProblemNote } from './bits.js';
import { ZoomButtons, zoomStepOf, type ZoomStep } from './zoom.js';

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

/** The picture of the server. */
interface Drawn {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  readonly states: readonly PositionedNode[];
}

/** The graph. */
export function Graph({ name, words, load, when, hrefOf }: GraphProps): JSX.Element {
  const { data, problem } = useResource<Drawn>({
    key: `graph ${name}`,
    load: async () => drawnIn(await (await load()).text()),
    everyMs: 1500,
    ...(when === undefined ? {} : { when }),
  });
  const url = usePicture(data?.svg);
  if (data === undefined || url === undefined)
    return problem === undefined ? <Loading what="the graph" /> : <ProblemNote problem={problem} />;
  return (
    <>
      <ProblemNote problem={problem} />
      <Canvas of={data}>
        <img src={url} alt={words} draggable={false} />
        {hrefOf !== undefined &&
          data.states.map((state) => <StateLink key={state.file} {...state} of={data} href={hrefOf(state.file)} />)}
      </Canvas>
    </>
  );
}

/** The address of the picture in the colours of the theme. */
function usePicture(svg: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (svg === undefined) return;
    const colours = getComputedStyle(document.documentElement);
    const surface = colours.getPropertyValue('--surface');
    const isDark = document.documentElement.dataset['theme'] === 'dark';
    const themed = svg
      .replace('@media (prefers-color-scheme:dark)', isDark ? '@media all' : '@media not all')
      .replace(/\.raymond\{background:#\w+\}/g, `.raymond{background:${surface}}`)
      .replace(/\.raymond \.halo\{fill:#0f172a\}/, `.raymond .halo{fill:${surface}}`);
    const made = URL.createObjectURL(new Blob([themed], { type: 'image/svg+xml' }));
    setUrl(made);
    return () => {
      // The shown picture is loaded; its replacement follows in a moment.
      setTimeout(() => URL.revokeObjectURL(made), 2000);
    };
  }, [svg, theme.value]);
  return url;
}

interface CanvasProps {
  readonly of: Drawn;
  readonly children: JSX.Element['props']['children'];
}

/** A scrolling box whose content fits it at first. */
function Canvas({ of: { width, height }, children }: CanvasProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(width);
  const [zoom, setZoom] = useState(1);
  useEffect(() => {
    const scroller = box.current;
    if (scroller === null) return;
    const observer = new ResizeObserver(() => setRoom(scroller.clientWidth - 16));
    observer.observe(scroller);
    return () => observer.disconnect();
  }, []);
  const drag = useDrag(box);
  const step = (wanted: ZoomStep | undefined): void => {
    if (wanted === 'in') setZoom(Math.min(zoom * 1.5, 12));
    if (wanted === 'out') setZoom(Math.max(zoom / 1.5, 0.3));
    if (wanted === 'fit') setZoom(1);
  };
  const scale = Math.min(1, room / width) * zoom;
  return (
    <>
      <div class="row">
        <ZoomButtons isFit={zoom === 1} shrinks step={step} />
      </div>
      <div
        class="scroll graph"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Graph of the states"
        onPointerDown={drag.start}
        onPointerMove={drag.move}
        onKeyDown={({ key }) => step(zoomStepOf(key))}
      >
        <div class="picture" style={{ width: `${width * scale}px`, height: `${height * scale}px` }}>
          {children}
        </div>
      </div>
    </>
  );
}

interface Drag {
  readonly start: (event: PointerEvent) => void;
  readonly move: (event: PointerEvent) => void;
}

/** Scrolls the box with the mouse; a finger scrolls anyway. */
function useDrag(box: RefObject<HTMLDivElement | null>): Drag {
  return {
    start: (event) => {
      if (event.pointerType === 'mouse' && event.target instanceof HTMLImageElement) event.preventDefault();
    },
    move: ({ pointerType, buttons, movementX, movementY }) => {
      if (pointerType === 'mouse' && buttons === 1) box.current?.scrollBy(-movementX, -movementY);
    },
  };
}

interface LinkProps extends PositionedNode {
  readonly of: Drawn;
  readonly href: string;
}

function StateLink({ words, box, href, of }: LinkProps): JSX.Element {
  const [left = 0, top = 0, width = 0, height = 0] = box;
  const across = (pixels: number): string => `${(100 * pixels) / of.width}%`;
  const down = (pixels: number): string => `${(100 * pixels) / of.height}%`;
  const place = { left: across(left), top: down(top), width: across(width), height: down(height) };
  return (
    <a class="state" href={href} aria-label={`${words}: its turns`} title={words} style={place} draggable={false} />
  );
}

/** The size and the states of a picture, read only from its own tags. */
function drawnIn(svg: string): Drawn {
  const [, width, height] = /^<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const tags = svg.match(/<g data-file="[^"]*" data-box="[^"]*"[^>]*>/g) ?? [];
  const read = new DOMParser().parseFromString(`<svg>${tags.map((tag) => `${tag}</g>`).join('')}</svg>`, 'text/xml');
  const states = [...read.querySelectorAll('g')].map((node) => ({
    file: node.getAttribute('data-file') ?? '',
    words: node.getAttribute('aria-label') ?? '',
    box: (node.getAttribute('data-box') ?? '').split(' ').map(Number),
  }));
  return { svg, width: Number(width ?? 800), height: Number(height ?? 600), states };
}
