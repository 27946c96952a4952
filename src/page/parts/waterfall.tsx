// Agents over time, on a canvas: thousands of turns need no elements. A range that is dragged over,
// the keys + and −, and the wheel with Ctrl zoom. A table beside it lists the same turns, for screen
// readers.
import type { JSX, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go } from '../router.js';
import { theme } from '../theme.js';
import { counted, duration, when, type Turn } from '../words.js';
import { AXIS, barUnder, drawWaterfall, ROW, scaleOf, type BarHit, type Frame } from './waterfall-draw.js';
import { nearestBar, waterfallOf, type Stretch, type Waterfall as Lanes } from './waterfall-lanes.js';
import { ZoomButtons, zoomStepOf, type ZoomStep } from './zoom.js';
import type { Run } from '../../serve/types.js';

const LEGEND: readonly (readonly [kind: Stretch, words: string])[] = [
  ['ran', 'turn'],
  ['retried', 'turn that needed several attempts'],
  ['failed', 'failed turn'],
  ['running', 'running'],
  ['queued', 'queued'],
  ['waited', 'waiting'],
];

/** A browser lays out no wider elements. */
const MOST_ZOOM = 4096;
const FACTORS: Readonly<Record<ZoomStep, number>> = { in: 2, out: 0.5, fit: 0 };

/** Shorter movements of the pointer are clicks. */
const CLICK_PX = 6;

/** What is under the pointer, and where that is in the window. */
interface Hint extends BarHit {
  readonly x: number;
  readonly y: number;
}

/** The waterfall of a run. */
export function Waterfall({ run, turns }: { readonly run: Run; readonly turns: readonly Turn[] }): JSX.Element {
  const lanes = useMemo(() => waterfallOf(run, turns, Date.now()), [run, turns]);
  const { box, canvas, space, zoom, frame, zoomBy, zoomTo } = useZoom(lanes, run.open);
  const [hint, setHint] = useState<Hint>();
  const open = (event: MouseEvent): void => {
    const hit = barUnder(event, frame());
    if (hit?.bar.turn !== undefined) go({ view: 'turn', run: run.runId, agent: hit.agentId, turn: hit.bar.turn });
  };
  const drag = useDrag({ frame, select: zoomTo, click: open });
  return (
    <figure class="waterfall">
      <div class="row">
        <ZoomButtons isFit={zoom === 1} step={(step) => zoomBy(FACTORS[step])} />
        <Legend />
      </div>
      <div
        class="lanes"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Agents over time; the table below has the same turns"
        onPointerDown={drag.start}
        onPointerMove={(event) => {
          drag.move(event);
          const hit = barUnder(event, frame());
          setHint(hit === undefined ? undefined : { ...hit, x: event.clientX, y: event.clientY });
        }}
        onPointerUp={drag.end}
        onPointerLeave={() => setHint(undefined)}
        onKeyDown={({ key }) => {
          const step = zoomStepOf(key);
          if (step !== undefined) zoomBy(FACTORS[step]);
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <div class="space" ref={space} aria-hidden="true" />
      </div>
      {drag.range !== undefined && <div class="selection" style={drag.range} aria-hidden="true" />}
      {hint !== undefined && drag.range === undefined && <Tip hint={hint} />}
      <figcaption class="muted">
        {counted(lanes.lanes.length, 'agent')}, {duration(lanes.to - lanes.from)}, from {when(run.startedAt)} to{' '}
        {run.open ? 'now' : when(new Date(lanes.to).toISOString())}. Click a turn to open it; drag, or press + and −, to
        zoom.
      </figcaption>
    </figure>
  );
}

function Tip({ hint: { agentId, bar, x, y } }: { readonly hint: Hint }): JSX.Element {
  const isRight = x > innerWidth / 2;
  return (
    <p
      class="tip"
      aria-hidden="true"
      style={{
        top: `${y + 16}px`,
        left: isRight ? 'auto' : `${x + 8}px`,
        right: isRight ? `${innerWidth - x + 8}px` : 'auto',
      }}
    >
      <strong>{agentId}</strong>: {bar.title}
      <br />
      {duration(bar.to - bar.from)}, {when(new Date(bar.from).toISOString())} – {when(new Date(bar.to).toISOString())}
    </p>
  );
}

function Legend(): JSX.Element {
  return (
    <ul class="legend" aria-label="What the bars mean">
      {LEGEND.map(([kind, words]) => (
        <li key={kind}>
          <span class={`swatch ${kind}`} aria-hidden="true" /> {words}
        </li>
      ))}
    </ul>
  );
}

interface Zoom {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly space: RefObject<HTMLDivElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly zoom: number;
  readonly frame: () => Frame;
  /** Zooms around the middle, or around a pixel; 0 = back to everything. */
  readonly zoomBy: (factor: number, x?: number) => void;
  readonly zoomTo: (from: number, to: number) => void;
}

function useZoom(lanes: Lanes, isOpen: boolean): Zoom {
  const [box, space] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const canvas = useRef<HTMLCanvasElement>(null);
  const [zoom, setZoom] = useState(1);
  /** The time that is to be at a pixel when the zoom has changed. */
  const anchor = useRef<{ readonly time: number; readonly x: number } | undefined>(undefined);
  const frame = (): Frame => ({
    box: box.current ?? document.createElement('div'),
    lanes,
    zoom,
    now: isOpen ? lanes.to : undefined,
  });
  const limited = (wanted: number): number => Math.min(Math.max(wanted, 1), MOST_ZOOM);
  const zoomBy = (factor: number, x?: number): void => {
    const { left, time } = scaleOf(frame());
    const at = x ?? (left + (box.current?.clientWidth ?? 0)) / 2;
    anchor.current = { time: x === undefined ? nearestBar(lanes, time(at)) : time(at), x: at };
    setZoom(limited(zoom * factor));
  };
  const zoomTo = (from: number, to: number): void => {
    anchor.current = { time: from, x: scaleOf(frame()).left };
    setZoom(limited((lanes.to - lanes.from) / Math.max(to - from, 1)));
  };
  useEffect(() => {
    const [scroller, room, picture] = [box.current, space.current, canvas.current];
    if (scroller === null || room === null || picture === null) return;
    room.style.height = `${AXIS + lanes.lanes.length * ROW}px`;
    room.style.width = `${zoom * 100}%`;
    const { time, x } = anchor.current ?? {};
    if (time !== undefined && x !== undefined) scroller.scrollLeft = scaleOf(frame()).scrollFor(time, x);
    anchor.current = undefined;
    const draw = (): void => drawWaterfall(picture, frame());
    const wheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - scroller.getBoundingClientRect().left);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(scroller);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    scroller.addEventListener('scroll', draw, { passive: true });
    scroller.addEventListener('wheel', wheel, { passive: false });
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', draw);
      scroller.removeEventListener('scroll', draw);
      scroller.removeEventListener('wheel', wheel);
    };
  }, [lanes, zoom, theme.value]);
  return { box, space, canvas, zoom, frame, zoomBy, zoomTo };
}

/** The position of an element in the window. */
type Box = Readonly<Record<'left' | 'top' | 'width' | 'height', string>>;

interface Drag {
  readonly start: (event: PointerEvent) => void;
  readonly move: (event: PointerEvent) => void;
  readonly end: (event: PointerEvent) => void;
  readonly range: Box | undefined;
}

/** A range of time is selected with a mouse; a finger scrolls. */
function useDrag({
  frame,
  select,
  click,
}: {
  readonly frame: () => Frame;
  readonly select: (from: number, to: number) => void;
  readonly click: (event: MouseEvent) => void;
}): Drag {
  const from = useRef<number | undefined>(undefined);
  const [range, setRange] = useState<Box>();
  const isDrag = ({ clientX }: PointerEvent): boolean =>
    from.current !== undefined && Math.abs(clientX - from.current) >= CLICK_PX;
  return {
    range,
    start: ({ button, clientX }) => {
      if (button === 0) from.current = clientX;
    },
    move: (event) => {
      if (event.pointerType !== 'mouse' || event.buttons !== 1 || !isDrag(event) || from.current === undefined) return;
      const { top, height } = frame().box.getBoundingClientRect();
      const [left, right] = [Math.min(from.current, event.clientX), Math.max(from.current, event.clientX)];
      setRange({ left: `${left}px`, width: `${right - left}px`, top: `${top}px`, height: `${height}px` });
    },
    end: (event) => {
      const start = from.current;
      const wasDrag = isDrag(event) && range !== undefined;
      from.current = undefined;
      setRange(undefined);
      if (start === undefined) return;
      if (!wasDrag) return click(event);
      const scale = scaleOf(frame());
      const { left } = frame().box.getBoundingClientRect();
      const [a, b] = [scale.time(start - left), scale.time(event.clientX - left)];
      select(Math.min(a, b), Math.max(a, b));
    },
  };
}
