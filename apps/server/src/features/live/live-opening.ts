import type { Readable } from "node:stream";
import type { Viewer } from "../../platform/sessions.ts";
import type { Line } from "./live-outlet.ts";

/** All who may see the same share what is read for one of them. */
export function scopeOf(viewer: Viewer): string {
  return `${viewer.role}:${viewer.partnerId ?? ""}`;
}

/** Somebody who asked for a stream that has not begun. */
export class LiveOpening {
  readonly viewer: Viewer;
  readonly #line: Line;
  /** Aborted where nobody waits any more, or with why it is refused. */
  readonly signal: AbortSignal;
  readonly #begun = Promise.withResolvers<Readable>();
  readonly #refused = new AbortController();

  constructor(viewer: Viewer, gone: AbortSignal, line: Line) {
    this.viewer = viewer;
    this.#line = line;
    this.signal = AbortSignal.any([gone, this.#refused.signal]);
    const leave = () => this.#begun.reject(this.signal.reason);
    if (this.signal.aborted) leave();
    else this.signal.addEventListener("abort", leave, { once: true });
  }

  /** Resolves with the stream; rejects at once where it is refused or nobody waits any more. */
  get begun(): Promise<Readable> {
    return this.#begun.promise;
  }

  /** What its stream is made of. */
  get parts(): { readonly viewer: Viewer; readonly line: Line } {
    return { viewer: this.viewer, line: this.#line };
  }

  begin(stream: Readable): void {
    this.#begun.resolve(stream);
  }

  refuse(error: unknown): void {
    this.#refused.abort(error);
  }
}

/** One reading of a snapshot, for all of a scope who asked before it began. */
export class SnapshotReading {
  readonly viewer: Viewer;
  readonly #openings = new Set<LiveOpening>();
  readonly #unwanted = new AbortController();

  constructor(viewer: Viewer) {
    this.viewer = viewer;
  }

  /** Aborted as soon as nobody waits for it any more. */
  get unwanted(): AbortSignal {
    return this.#unwanted.signal;
  }

  /** Those who still wait. */
  get openings(): readonly LiveOpening[] {
    return [...this.#openings];
  }

  join(opening: LiveOpening): void {
    this.#openings.add(opening);
    const leave = () => {
      this.#openings.delete(opening);
      if (this.#openings.size === 0) this.#unwanted.abort(opening.signal.reason);
    };
    opening.signal.addEventListener("abort", leave, { once: true });
  }
}
