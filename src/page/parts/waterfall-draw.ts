// Draws the visible part of a waterfall on a canvas: an axis with times, a lane per agent, and the
// names of states in bars that have room for them.
import { barAt, ticksOf, type Bar, type Lane, type Waterfall } from './waterfall-lanes.js';

/** The height of a lane, in pixels. */
export const ROW = 26;
/** The height of the axis. */
export const AXIS = 24;
const NAMES = 150;
const FONT = '12px system-ui, sans-serif';

/** What is drawn: `zoom` 1 = the whole time fits in the box; `now` = where a run in progress is. */
export interface Frame {
  readonly box: HTMLElement;
  readonly lanes: Waterfall;
  readonly zoom: number;
  readonly now?: number | undefined;
}

/** The relation of times and pixels from the left of the box. */
export interface Scale {
  /** Where the times begin: left of it are the names. */
  readonly left: number;
  readonly perPixel: number;
  readonly x: (time: number) => number;
  readonly time: (x: number) => number;
  /** How far the box must be scrolled for a time to be at a pixel. */
  readonly scrollFor: (time: number, x: number) => number;
}

/** The scale of a frame. */
export function scaleOf({ box, lanes: { from, to }, zoom }: Frame): Scale {
  // Read once: it is asked for every bar, and each time the browser would lay out the page for it.
  const { clientWidth, scrollLeft } = box;
  const left = Math.min(NAMES, clientWidth / 3);
  const perPixel = (to - from) / Math.max(clientWidth * zoom - left - 8, 10);
  return {
    left,
    perPixel,
    x: (time) => left + (time - from) / perPixel - scrollLeft,
    time: (x) => from + (x - left + scrollLeft) * perPixel,
    scrollFor: (time, x) => left + (time - from) / perPixel - x,
  };
}

/** A bar of an agent. */
export interface BarHit {
  readonly agentId: string;
  readonly bar: Bar;
}

/** The bar under the pointer. */
export function barUnder(event: MouseEvent, frame: Frame): BarHit | undefined {
  const { box, lanes } = frame;
  const place = box.getBoundingClientRect();
  const y = event.clientY - place.top;
  const lane = y < AXIS ? undefined : lanes.lanes[Math.floor((y - AXIS + box.scrollTop) / ROW)];
  const scale = scaleOf(frame);
  const bar = lane === undefined ? undefined : barAt(lane, scale.time(event.clientX - place.left), 3 * scale.perPixel);
  return lane === undefined || bar === undefined ? undefined : { agentId: lane.agentId, bar };
}

/** A canvas with what drawing needs. */
interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly scale: Scale;
  readonly width: number;
  readonly height: number;
  readonly colour: (name: string) => string;
}

/** Draws the frame. */
export function drawWaterfall(canvas: HTMLCanvasElement, frame: Frame): void {
  const { box, lanes, now } = frame;
  const [width, height, ratio] = [box.clientWidth, box.clientHeight, devicePixelRatio];
  const context = canvas.getContext('2d');
  if (context === null) return;
  sizeCanvas(canvas, { width, height, ratio });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  const drawing = { context, scale: scaleOf(frame), width, height, colour: coloursOf(box) };
  const { colour } = drawing;
  const ticks = ticksOf({ from: drawing.scale.time(drawing.scale.left), to: drawing.scale.time(width) }, drawing.scale);
  context.fillStyle = colour('line');
  for (const { time } of ticks) context.fillRect(drawing.scale.x(time), AXIS, 1, height);
  const first = Math.floor(box.scrollTop / ROW);
  const last = Math.min(lanes.lanes.length, first + Math.ceil(height / ROW) + 1);
  for (let index = first; index < last; index += 1) {
    const lane = lanes.lanes[index];
    if (lane !== undefined) drawLane(drawing, lane, AXIS + index * ROW - box.scrollTop);
  }
  drawAxis(drawing, ticks);
  if (now === undefined) return;
  context.fillStyle = colour('accent');
  context.fillRect(drawing.scale.x(now), AXIS - 6, 2, height);
}

/** Setting the size clears a canvas and allocates its memory again: only when it has changed. */
function sizeCanvas(
  canvas: HTMLCanvasElement,
  { width, height, ratio }: { readonly width: number; readonly height: number; readonly ratio: number },
): void {
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width === across && canvas.height === down) return;
  Object.assign(canvas, { width: across, height: down });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
}

/** The colours of the theme by their names; each is looked up once. */
function coloursOf(box: HTMLElement): (name: string) => string {
  const style = getComputedStyle(box);
  const known = new Map<string, string>();
  return (name) => {
    const colour = known.get(name) ?? style.getPropertyValue(`--${name}`);
    known.set(name, colour);
    return colour;
  };
}

function drawAxis(
  { context, scale, width, colour }: Drawing,
  ticks: readonly { readonly time: number; readonly words: string }[],
): void {
  context.fillStyle = colour('sunken');
  context.fillRect(0, 0, width, AXIS);
  context.fillStyle = colour('muted');
  let free = 0;
  for (const { time, words } of ticks) {
    const x = scale.x(time);
    context.fillRect(x, AXIS - 6, 1, 6);
    const end = x + 4 + context.measureText(words).width;
    // Words with milliseconds are wider than the distance of two ticks.
    if (x < free || end > width) continue;
    context.fillText(words, x + 4, AXIS / 2);
    free = end + 4;
  }
  context.fillStyle = colour('sunken');
  context.fillRect(0, 0, scale.left, AXIS);
}

function drawLane(drawing: Drawing, { agentId, bars }: Lane, y: number): void {
  const { context, scale, colour } = drawing;
  for (const bar of bars) drawBar(drawing, bar, y);
  context.fillStyle = colour('surface');
  context.fillRect(0, y, scale.left, ROW);
  context.fillStyle = colour('text');
  context.fillText(shortened(context, agentId, scale.left - 12), 4, y + ROW / 2);
}

function drawBar({ context, scale, width: right, colour }: Drawing, bar: Bar, y: number): void {
  const { kind, label } = bar;
  const [from, to] = [Math.max(scale.x(bar.from), scale.left), Math.min(scale.x(bar.to), right)];
  if (to < from || from > right) return;
  const width = Math.max(to - from, 2);
  context.fillStyle = colour(`bar-${kind}`);
  if (kind === 'waited') return context.fillRect(from, y + ROW / 2 - 1, width, 2);
  context.fillRect(from, y + 4, width, ROW - 8);
  context.fillStyle = colour('surface');
  // Retried: striped at the lower edge; queued: hollow; failed: cut there. So they differ without
  // colours.
  if (kind === 'retried') for (let x = from + 3; x < from + width; x += 6) context.fillRect(x, y + ROW - 9, 2, 5);
  if (kind === 'queued') context.fillRect(from + 1.5, y + 5.5, Math.max(width - 3, 0), ROW - 11);
  if (kind === 'failed') context.fillRect(from, y + ROW - 7, width, 1.5);
  if (label === undefined || kind === 'queued') return;
  const words = shortened(context, label, width - 8);
  if (words.length > 3) context.fillText(words, from + 4, y + ROW / 2 - 1);
}

/** Texts as they were shortened to a width: measuring takes most of the time of drawing. */
const fitted = new Map<string, string>();
const MOST_FITTED = 10_000;

function shortened(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${Math.floor(width)} ${text}`;
  const known = fitted.get(key) ?? fit(context, text, Math.floor(width));
  if (fitted.size > MOST_FITTED) fitted.clear();
  fitted.set(key, known);
  return known;
}

function fit(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (width < 16) return '';
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end)}…`;
}
