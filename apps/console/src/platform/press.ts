/** A press that lasts longer is a hold or a drag. */
const LONGEST_MS = 500;
/** A tap is clicked only a moment after the finger has left. */
const CLICKED_AFTER_MS = 50;

let waiting: (() => void)[] = [];
/** Set while what arrives waits; it ends that, however often somebody presses meanwhile. */
let limit: ReturnType<typeof setTimeout> | undefined;
let clicked: ReturnType<typeof setTimeout> | undefined;

/**
 * Does this now, or after the press that is under way: a button that moves or goes between press and release is not
 * clicked, or another one is.
 */
export function afterPress(work: () => void): void {
  if (limit === undefined) work();
  else waiting.push(work);
}

/** Notices when a pointer is pressed anywhere on the page; returns a function that ends it. */
export function watchPresses(): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  addEventListener("pointerdown", onDown, options);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, onUp, options);
  return () => stop.abort();
}

function onDown(): void {
  clearTimeout(clicked);
  limit ??= setTimeout(showWaiting, LONGEST_MS);
}

function onUp(): void {
  clearTimeout(clicked);
  clicked = setTimeout(showWaiting, CLICKED_AFTER_MS);
}

function showWaiting(): void {
  clearTimeout(limit);
  limit = undefined;
  const due = waiting;
  waiting = [];
  for (const work of due) work();
}
