export interface Scale {
  readonly bottom: number;
  readonly top: number;
  /** From `bottom` to `top`. */
  readonly ticks: readonly number[];
}

/** Round steps of 1, 2 or 5 with some power of ten, four or five of them, whole ones for counts. */
export function scaleUpTo(most: number, isWhole = true): Scale {
  const rough = Math.max(most, isWhole ? 1 : 0.1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10;
  const step = isWhole ? Math.max(1, factor * power) : factor * power;
  const count = Math.max(1, Math.ceil(Math.max(most, step) / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, nth) => nth * step);
  return { bottom: 0, top: count * step, ticks };
}

/** For a line of percentages, which needs no 0: from 80 or 50 where none is below. Say it beside the axis. */
export function percentScale(least: number): Scale {
  const [bottom, step] = least >= 80 ? [80, 5] : least >= 50 ? [50, 10] : [0, 25];
  const ticks = Array.from({ length: (100 - bottom) / step + 1 }, (_, nth) => bottom + nth * step);
  return { bottom, top: 100, ticks };
}

/** Which of `count` labels are written so that each has `width` of `room` for itself: every how manyth. */
export function labelStep(count: number, width: number, room: number): number {
  return Math.max(1, Math.ceil((count * width) / Math.max(room, 1)));
}
