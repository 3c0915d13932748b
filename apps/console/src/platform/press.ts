/** A press that lasts longer is a hold or a drag. */
const LONGEST_MS = 500;
/** A tap is clicked only a moment after the finger has left. */
const CLICKED_AFTER_MS = 50;

let waiting: (() => void)[] = [];
let end: ReturnType<typeof setTimeout> | undefined;

/**
 * Does this now, or after the press that is under way: a button that moves or goes between press and release is not
 * clicked, or another one is.
 */
export function afterPress(work: () => void): void {
  if (end === undefined) work();
  else waiting.push(work);
}

/** Notices when a pointer is pressed anywhere on the page; returns a function that ends it. */
export function watchPresses(): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  addEventListener("pointerdown", () => endIn(LONGEST_MS), options);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => endIn(CLICKED_AFTER_MS), options);
  return () => stop.abort();
}

function endIn(ms: number): void {
  clearTimeout(end);
  end = setTimeout(() => {
    end = undefined;
    const due = waiting;
    waiting = [];
    for (const work of due) work();
  }, ms);
}
