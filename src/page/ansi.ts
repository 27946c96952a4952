// The output of processes as lines of coloured pieces: SGR sequences become classes and colours,
// all other control sequences are removed.
import Anser from 'anser';

/** A piece of a line in one look; `fg` and `bg` are CSS colours beyond the sixteen that classes have. */
export interface Piece {
  readonly text: string;
  readonly classes: string;
  readonly fg?: string;
  readonly bg?: string;
}

/** Everything but colours: titles and links (OSC), movements (CSI other than `m`), single escapes, and other control characters. */
/* eslint-disable no-control-regex -- those are what it is about */
const OTHERS =
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-9;?<=>]*[A-Za-ln-z@`~]|\u001b[^[\]]|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u007f]/g;
/* eslint-enable no-control-regex */

/** A text without control sequences. */
export function plain(text: string): string {
  return Anser.ansiToText(text.replaceAll(OTHERS, ''));
}

/** The lines of a text. */
export function ansiLines(text: string): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  const clean = text.replaceAll('\r\n', '\n').replaceAll(OTHERS, '');
  for (const chunk of Anser.ansiToJson(clean, { json: true, use_classes: true, remove_empty: true })) {
    const look = lookOf(chunk);
    chunk.content.split('\n').forEach((words, index) => {
      if (index > 0) lines.push([]);
      // A progress bar overwrites its line: only its last state counts.
      const last = words.slice(words.replace(/\r+$/, '').lastIndexOf('\r') + 1).replaceAll('\r', '');
      if (last !== '') lines.at(-1)?.push({ text: last, ...look });
    });
  }
  return lines;
}

type Chunk = ReturnType<typeof Anser.ansiToJson>[number];

/** As it is typed and as it is: absent colours are null. */
interface Colours {
  readonly fg: string | null;
  readonly bg: string | null;
  readonly fg_truecolor: string | null;
  readonly bg_truecolor: string | null;
}

function lookOf(chunk: Chunk): Omit<Piece, 'text'> {
  const { fg, bg, fg_truecolor: trueFg, bg_truecolor: trueBg } = chunk as Colours;
  const [text, ground] = [colourOf(fg, trueFg), colourOf(bg, trueBg)];
  const classes = [
    ...(fg !== null && text === undefined ? [`fg-${fg}`] : []),
    ...(bg !== null ? ['on', ...(ground === undefined ? [`bg-${bg}`] : [])] : []),
    ...chunk.decorations,
  ].join(' ');
  const colour = text ?? (ground === undefined || fg !== null ? undefined : isLight(ground) ? DARK : LIGHT);
  return {
    classes,
    ...(colour === undefined ? {} : { fg: cssOf(bg === null ? readable(colour) : colour) }),
    ...(ground === undefined ? {} : { bg: cssOf(ground) }),
  };
}

type Rgb = readonly [red: number, green: number, blue: number];

const DARK: Rgb = [13, 17, 23];
const LIGHT: Rgb = [230, 237, 243];

/** A colour of the palette of 256 or of all; undefined = one of the sixteen, or none. */
function colourOf(name: string | null, truecolor: string | null): Rgb | undefined {
  if (name === 'ansi-truecolor' && truecolor !== null) {
    const [red = 0, green = 0, blue = 0] = truecolor.split(',').map(Number);
    return [red, green, blue];
  }
  const index = Number(/^ansi-palette-(\d+)$/.exec(name ?? '')?.[1] ?? NaN);
  if (Number.isNaN(index)) return undefined;
  if (index >= 232) {
    const grey = 8 + 10 * (index - 232);
    return [grey, grey, grey];
  }
  const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number): number => (value / 255) ** 2.2;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function isLight(colour: Rgb): boolean {
  return luminance(colour) > 0.18;
}

/** A colour that can be read on the dark ground of output: dark ones get lighter. */
function readable(colour: Rgb): Rgb {
  let [light, steps] = [colour, 0];
  while (luminance(light) < 0.2 && steps++ < 12)
    light = [
      light[0] + (255 - light[0]) * 0.15,
      light[1] + (255 - light[1]) * 0.15,
      light[2] + (255 - light[2]) * 0.15,
    ];
  return light;
}

function cssOf(colour: Rgb): string {
  return `rgb(${colour.map(Math.round).join(' ')})`;
}
