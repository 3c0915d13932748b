import { VisuallyHidden } from "@mantine/core";

/** Stands where a battery would, of a robot that never told one. */
export function NoBattery({ className }: { className: string | undefined }) {
  return (
    <span className={className} data-old>
      <VisuallyHidden>Battery not known yet</VisuallyHidden>
      <span aria-hidden>–</span>
    </span>
  );
}
