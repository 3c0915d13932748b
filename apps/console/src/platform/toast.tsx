import { notifications } from "@mantine/notifications";
import { IconAlertOctagon, IconCircleCheck } from "@tabler/icons-react";

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
  /** Nobody pressed anything for it: if there are many, it waits behind toasts about the user's own actions. */
  readonly isAutomatic?: boolean;
}

/** The latest toast of each subject, by the library's own id. */
const shownAbout = new Map<string, string>();

function show(toast: Toast, kind: "success" | "destructive"): void {
  const failed = kind === "destructive";
  const id = notifications.show({
    title: toast.title,
    message: (
      <>
        {toast.message}
        {toast.reason !== undefined && toast.reason !== toast.message && (
          <>
            <br />
            {toast.reason}
          </>
        )}
      </>
    ),
    autoClose: failed ? TOAST_MS : (toast.durationMs ?? TOAST_MS),
    // A failure interrupts a screen reader; a success waits for its turn.
    role: failed ? "alert" : "status",
    "aria-live": failed ? "assertive" : "polite",
    icon: failed ? <IconAlertOctagon size={18} /> : <IconCircleCheck size={18} />,
    color: failed ? "red" : "accent",
    priority: toast.isAutomatic === true ? 0 : 1,
    closeButtonProps: { "aria-label": "Close message" },
    withBorder: true,
  });
  if (toast.about !== undefined) shownAbout.set(toast.about, id);
}

/** Short messages that come and go (§8 Toasts). */
export const toast = {
  success: (content: Toast): void => show(content, "success"),
  /** A failure or refusal. */
  failure: (content: Toast): void => show(content, "destructive"),
  /**
   * Removes the latest toast about something that is being retried; otherwise it would be shown beside the next one.
   */
  dismiss: (about: string): void => {
    const id = shownAbout.get(about);
    if (id !== undefined) notifications.hide(id);
    shownAbout.delete(about);
  },
  /** §8 Clipboard: `what` is 'Contact name', 'Email' or 'Phone number'. */
  copied: (what: string): void =>
    show(
      { title: "Copied to Clipboard", message: `${what} copied to clipboard`, durationMs: COPY_TOAST_MS },
      "success",
    ),
};
