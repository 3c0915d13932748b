import { useSyncExternalStore } from "react";

/** §9 Toasts, in milliseconds. */
const TOAST_MS = 3000;
const COPY_TOAST_MS = 2000;

export interface Toast {
  readonly title: string;
  readonly message: string;
  /** The server's own reason, on a second line. */
  readonly reason?: string | undefined;
  /** 2000 to 5000 on the monitoring view (§9); 3000 unless given. Destructive ones last 3000 (§8). */
  readonly durationMs?: number;
  /** What it is about: `toast.dismiss` removes an earlier toast about the same subject. */
  readonly about?: string;
  /** Nobody pressed anything for it: it comes after toasts about the user's own actions. */
  readonly isAutomatic?: boolean;
}

type ToastMessage = Pick<Toast, "message" | "reason">;

/** Toasts of the same kind and title, as one: the newest message first. */
export interface ShownToast {
  readonly id: number;
  readonly isFailure: boolean;
  readonly title: string;
  readonly messages: readonly ToastMessage[];
  readonly durationMs: number;
  readonly about: string | undefined;
  readonly isAutomatic: boolean;
}

let toasts: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function replaceAll(next: readonly ShownToast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** The toasts that have not ended, in the order in which they are shown. */
export function useToasts(): readonly ShownToast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}

/**
 * The newest comes first, so that none waits for another one to end: what it covers is shown again after it. Those that
 * the user asked for come before those that came by themselves.
 */
function show(toast: Toast, isFailure: boolean): void {
  const { title, message, reason, durationMs, about, isAutomatic = false } = toast;
  const same = toasts.find((one) => one.title === title && one.isFailure === isFailure);
  const written = new Map((same?.messages ?? []).map((one) => [keyOf(one), one]));
  written.delete(keyOf(toast));
  const shown: ShownToast = {
    id: same?.id ?? ++lastId,
    isFailure,
    title,
    messages: [{ message, reason }, ...written.values()],
    durationMs: isFailure ? TOAST_MS : (durationMs ?? TOAST_MS),
    about,
    isAutomatic: isAutomatic && same?.isAutomatic !== false,
  };
  const others = toasts.filter((one) => one !== same);
  const before = shown.isAutomatic ? others.filter((one) => !one.isAutomatic) : [];
  replaceAll([...before, shown, ...others.filter((one) => !before.includes(one))]);
}

function keyOf({ message, reason }: ToastMessage): string {
  return JSON.stringify([message, reason]);
}

/** Short messages that come and go (§8 Toasts). */
export const toast = {
  success: (content: Toast): void => show(content, false),
  /** A failure or refusal. */
  failure: (content: Toast): void => show(content, true),
  /** Removes a toast about something that is being retried; otherwise it would be shown beside the next one. */
  dismiss: (about: string): void => replaceAll(toasts.filter((one) => one.about !== about)),
  /** §8 Clipboard: `what` is 'Contact name', 'Email' or 'Phone number'. */
  copied: (what: string): void =>
    show({ title: "Copied to Clipboard", message: `${what} copied to clipboard`, durationMs: COPY_TOAST_MS }, false),
};

/** Ends one toast, or all of them. */
export function endToast(id?: number): void {
  replaceAll(id === undefined ? [] : toasts.filter((one) => one.id !== id));
}
