import { useEffect, useRef, type SyntheticEvent } from "react";
import { styleNonce } from "./style-nonce.ts";
import { useTheme } from "./theme/theme-choice.ts";

interface MailPageProps {
  /** What it shows, for screen readers. */
  readonly title: string;
  /** A whole page, as a mail has it. */
  readonly html: string;
  /** As readers in that theme see it; missing: as the console's. */
  readonly theme?: "light" | "dark";
  readonly className?: string | undefined;
}

/** What mails write before their dark styles. */
const DARK = "@media (prefers-color-scheme: dark)";

/** A mail as its reader shows it, whole, in a frame of its own in which nothing runs and nothing is loaded. */
export function MailPage({ title, html, theme, className }: MailPageProps) {
  const chosen = useTheme();
  const isDark = (theme ?? chosen) === "dark";
  const page = html.replaceAll(DARK, isDark ? "@media all" : "@media not all");
  const sizes = useRef<ResizeObserver>(null);
  useEffect(() => () => sizes.current?.disconnect(), []);
  const onLoad = ({ currentTarget: frame }: SyntheticEvent<HTMLIFrameElement>) => {
    applyStyles(frame);
    sizes.current?.disconnect();
    sizes.current = fitHeight(frame);
  };
  return (
    <iframe
      title={title}
      // Scripts, forms and popups stay forbidden; with the page's origin its styles can be set.
      sandbox="allow-same-origin"
      srcDoc={page.replaceAll("<style>", `<style nonce="${styleNonce()}">`).replaceAll(' style="', ` ${STYLE}="`)}
      className={className}
      onLoad={onLoad}
    />
  );
}

/** The frame inherits the page's content policy, which refuses styles that are written at elements, but not set ones. */
const STYLE = "data-style";

function applyStyles({ contentDocument }: HTMLIFrameElement): void {
  for (const element of contentDocument?.querySelectorAll<HTMLElement>(`[${STYLE}]`) ?? []) {
    element.style.cssText = element.getAttribute(STYLE) ?? "";
  }
}

/** Keeps the frame as high as what it shows, so that only the page around it scrolls. */
function fitHeight(frame: HTMLIFrameElement): ResizeObserver {
  const root = frame.contentDocument?.documentElement;
  if (root) root.style.overflowY = "hidden";
  const fit = () => {
    const borders = frame.offsetHeight - frame.clientHeight;
    frame.style.height = `${(root?.offsetHeight ?? 0) + borders}px`;
  };
  // Not while sizes are being observed: the new height may bring a scrollbar around it, which makes the mail narrower.
  const sizes = new ResizeObserver(() => requestAnimationFrame(fit));
  sizes.observe(frame);
  return sizes;
}
