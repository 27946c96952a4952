// Agents over time, on a canvas: thousands of turns need no elements. Only the visible part is
// drawn. A table beside it lists the same turns, for screen readers.
import type { JSX, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go } from '../router.js';
import { counted, duration, when, type Turn } from '../words.js';
import { barAt, waterfallOf, type Bar, type Stretch, type Waterfall as Lanes } from './waterfall-lanes.js';
import type { Run } from '../../serve/types.js';

const ROW = 26;
const NAMES = 150;
const LEGEND: readonly (readonly [kind: Stretch, words: string])[] = [
  ['ran', 'a turn'],
  ['retried', 'tried more than once'],
  ['failed', 'failed or a problem'],
  ['running', 'runs now'],
  ['queued', 'queued'],
  ['waited', 'waited'],
];

/** The waterfall of a run. */
export function Waterfall({ run, turns }: { readonly run: Run; readonly turns: readonly Turn[] }): JSX.Element {
  const lanes = useMemo(() => waterfallOf(run, turns, Date.now()), [run, turns]);
  const [zoom, setZoom] = useState(1);
  const [hint, setHint] = useState('');
  const { box, canvas, space } = useDrawing(lanes, zoom);
  const hitOf = (event: MouseEvent): BarHit | undefined =>
    box.current === null ? undefined : barUnder(event, { box: box.current, lanes, zoom });
  const open = (at: BarHit | undefined): void => {
    if (at?.bar.turn !== undefined) go({ view: 'turn', run: run.runId, agent: at.agentId, turn: at.bar.turn });
  };
  return (
    <figure class="waterfall">
      <div class="row">
        <button type="button" class="quiet" onClick={() => setZoom(Math.max(zoom / 2, 1))} disabled={zoom === 1}>
          Less detail
        </button>
        <button type="button" class="quiet" onClick={() => setZoom(Math.min(zoom * 2, 64))}>
          More detail
        </button>
        <Legend />
      </div>
      <div
        class="lanes"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Agents over time; the table below has the same turns"
        onMouseMove={(event) => setHint(hintOf(hitOf(event)))}
        onClick={(event) => open(hitOf(event))}
      >
        <canvas ref={canvas} aria-hidden="true" />
        <div class="space" ref={space} aria-hidden="true" />
      </div>
      <figcaption class="muted">
        {hint === ''
          ? `${counted(lanes.lanes.length, 'agent')}, ${duration(lanes.to - lanes.from)}. A click on a turn opens it.`
          : hint}
      </figcaption>
    </figure>
  );
}

interface BarHit {
  readonly agentId: string;
  readonly bar: Bar;
}

function hintOf(at: BarHit | undefined): string {
  if (at === undefined) return '';
  const { title, from, to } = at.bar;
  return `${at.agentId}: ${title}, ${duration(to - from)}, from ${when(new Date(from).toISOString())}`;
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

/** Draws again when the visible part changes. */
function useDrawing(
  lanes: Lanes,
  zoom: number,
): Record<'box' | 'space', RefObject<HTMLDivElement | null>> & {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
} {
  const [box, space] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const [scroller, room, picture] = [box.current, space.current, canvas.current];
    if (scroller === null || room === null || picture === null) return;
    room.style.height = `${lanes.lanes.length * ROW}px`;
    room.style.width = `${zoom * 100}%`;
    const draw = (): void => drawWaterfall(picture, { box: scroller, lanes, zoom });
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(scroller);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    scroller.addEventListener('scroll', draw, { passive: true });
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', draw);
      scroller.removeEventListener('scroll', draw);
    };
  }, [lanes, zoom]);
  return { box, space, canvas };
}

interface Frame {
  readonly box: HTMLElement;
  readonly lanes: Lanes;
  readonly zoom: number;
}

/** The position of a time, in pixels from the left of the box. */
function scaleOf({ box, lanes: { from, to }, zoom }: Frame): {
  x(time: number): number;
  time(x: number): number;
  perPixel: number;
} {
  const names = Math.min(NAMES, box.clientWidth / 3);
  const width = Math.max(box.clientWidth * zoom - names - 8, 10);
  const perPixel = (to - from) / width;
  return {
    x: (time) => names + (time - from) / perPixel - box.scrollLeft,
    time: (x) => from + (x - names + box.scrollLeft) * perPixel,
    perPixel,
  };
}

function drawWaterfall(canvas: HTMLCanvasElement, frame: Frame): void {
  const { box, lanes } = frame;
  const [width, height, ratio] = [box.clientWidth, box.clientHeight, devicePixelRatio];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  const colours = getComputedStyle(box);
  const names = Math.min(NAMES, width / 3);
  const scale = scaleOf(frame);
  const first = Math.floor(box.scrollTop / ROW);
  const last = Math.min(lanes.lanes.length, first + Math.ceil(height / ROW) + 1);
  for (let index = first; index < last; index += 1) {
    const lane = lanes.lanes[index];
    if (lane === undefined) continue;
    const y = index * ROW - box.scrollTop;
    for (const bar of lane.bars)
      drawBar(context, { bar, y, from: Math.max(scale.x(bar.from), names), to: scale.x(bar.to), colours });
    context.fillStyle = colours.getPropertyValue('--surface');
    context.fillRect(0, y, names, ROW);
    context.fillStyle = colours.getPropertyValue('--text');
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillText(shortened(context, lane.agentId, names - 12), 4, y + ROW / 2);
  }
}

function drawBar(
  context: CanvasRenderingContext2D,
  {
    bar: { kind },
    y,
    from,
    to,
    colours,
  }: {
    readonly bar: Bar;
    readonly y: number;
    readonly from: number;
    readonly to: number;
    readonly colours: CSSStyleDeclaration;
  },
): void {
  if (to < from) return;
  const width = Math.max(to - from, 2);
  context.fillStyle = colours.getPropertyValue(`--bar-${kind}`);
  if (kind === 'waited') return context.fillRect(from, y + ROW / 2 - 1, width, 2);
  context.fillRect(from, y + 5, width, ROW - 10);
  context.fillStyle = colours.getPropertyValue('--surface');
  // Retried: striped; queued: hollow; failed: cut at the lower edge. So they differ without
  // colours.
  if (kind === 'retried') for (let x = from + 3; x < from + width; x += 6) context.fillRect(x, y + 5, 2, ROW - 10);
  if (kind === 'queued') context.fillRect(from + 1.5, y + 6.5, Math.max(width - 3, 0), ROW - 13);
  if (kind === 'failed') context.fillRect(from, y + ROW - 9, width, 2);
}

function shortened(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end)}…`;
}

function barUnder(event: MouseEvent, frame: Frame): BarHit | undefined {
  const { box, lanes } = frame;
  const place = box.getBoundingClientRect();
  const lane = lanes.lanes[Math.floor((event.clientY - place.top + box.scrollTop) / ROW)];
  const scale = scaleOf(frame);
  const bar = lane === undefined ? undefined : barAt(lane, scale.time(event.clientX - place.left), 3 * scale.perPixel);
  return lane === undefined || bar === undefined ? undefined : { agentId: lane.agentId, bar };
}
