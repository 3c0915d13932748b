export interface Scale {
  readonly top: number;
  /** From 0 to `top`. */
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
  return { top: count * step, ticks };
}

export const percentScale: Scale = { top: 100, ticks: [0, 25, 50, 75, 100] };

/** Which of `count` labels are written so that each has `width` of `room` for itself: every how manyth. */
export function labelStep(count: number, width: number, room: number): number {
  return Math.max(1, Math.ceil((count * width) / Math.max(room, 1)));
}
