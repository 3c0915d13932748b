import { CloseButton } from "@mantine/core";
import { IconAlertOctagon, IconCircleCheck } from "@tabler/icons-react";
import { type FocusEvent, useEffect, useRef, useState } from "react";
import { endToast, type ShownToast, useToasts } from "../../platform/toast.tsx";
import classes from "./toasts.module.css";

/** How many messages of one toast are shown where there is room; the others are counted. */
const MESSAGES = 3;

/**
 * §8 Toasts, over the navigation's links, where they cover no title, figure, field or Stop: the first one, until it
 * ends, then the one below it. No higher than the bar: what is longer, and all of them, while the pointer or the focus
 * is on them.
 */
export function Toasts() {
  const toasts = useToasts();
  const [first] = toasts;
  const [isHeld, setHeld] = useState(false);
  const isOpen = isHeld && first !== undefined;
  // The last one may have been closed under the pointer.
  if (isHeld && !isOpen) setHeld(false);

  const section = useRef<HTMLElement>(null);
  /** What had the focus before it came here. */
  const before = useRef<EventTarget>(null);
  const onFocus = ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
    // Null if it came from a message that is gone.
    if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) before.current = relatedTarget;
    setHeld(true);
  };
  const onClose = (id: number, isByKey: boolean) => {
    const hadFocus = section.current?.contains(document.activeElement) === true;
    endToast(id);
    if (!hadFocus) return;
    // Once it is gone, the focus goes back, or by keyboard first to the next message's button.
    requestAnimationFrame(() => {
      const next = (isByKey ? section.current?.querySelector("button") : null) ?? before.current;
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    });
  };

  useEffect(() => {
    if (first === undefined || isOpen) return undefined;
    const end = setTimeout(() => endToast(first.id), first.durationMs);
    return () => clearTimeout(end);
  }, [first, isOpen]);

  return (
    <section
      ref={section}
      aria-label="Messages"
      className={classes["toasts"]}
      data-open={isOpen || undefined}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={onFocus}
      onBlur={() => setHeld(false)}
    >
      {(isOpen ? toasts : toasts.slice(0, 1)).map((toast) => (
        <OneToast
          key={toast.id}
          toast={toast}
          isOpen={isOpen}
          others={isOpen ? 0 : toasts.length - 1}
          onClose={(isByKey) => onClose(toast.id, isByKey)}
        />
      ))}
    </section>
  );
}

interface OneToastProps {
  readonly toast: ShownToast;
  /** Shows more than its newest message. */
  readonly isOpen: boolean;
  /** How many more toasts there are. */
  readonly others: number;
  /** A press of the key has no clicks. */
  readonly onClose: (isByKey: boolean) => void;
}

function OneToast({ toast, isOpen, others, onClose }: OneToastProps) {
  const { isFailure, title, messages } = toast;
  const Icon = isFailure ? IconAlertOctagon : IconCircleCheck;
  const more = messages.length - MESSAGES;
  const hidden = others + (isOpen ? 0 : messages.length - 1);
  return (
    // A failure interrupts a screen reader; a success waits for its turn.
    <div className={classes["toast"]} data-failure={isFailure || undefined} role={isFailure ? "alert" : "status"}>
      <Icon size={18} className={classes["icon"]} aria-hidden />
      <div className={classes["text"]}>
        <strong className={classes["title"]}>{title}</strong>{" "}
        {messages.slice(0, MESSAGES).map(({ message, reason }) => (
          <p key={`${message} ${reason}`} className={classes["message"]}>
            <span className={classes["what"]}>{message}</span>
            {reason !== undefined && reason !== message && <span className={classes["reason"]}>{reason}</span>}
          </p>
        ))}
        {more > 0 && <p className={classes["message"]}>and {more} more</p>}
      </div>
      {hidden > 0 && <span className={classes["others"]}>+{hidden}</span>}
      <CloseButton size="sm" aria-label="Close message" onClick={({ detail }) => onClose(detail === 0)} />
    </div>
  );
}
