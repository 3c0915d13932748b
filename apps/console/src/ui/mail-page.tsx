import type { SyntheticEvent } from "react";

interface MailPageProps {
  /** What it shows, for screen readers. */
  readonly title: string;
  /** A whole page, as a mail has it. */
  readonly html: string;
  /** As readers in that theme see it; missing: as the browser's is. */
  readonly theme?: "light" | "dark";
  readonly className?: string | undefined;
}

/** What mails write before their dark styles. */
const DARK = "@media (prefers-color-scheme: dark)";

/** A mail as its reader shows it, in a frame of its own in which nothing runs and nothing is loaded. */
export function MailPage({ title, html, theme, className }: MailPageProps) {
  const page = theme === undefined ? html : html.replaceAll(DARK, theme === "dark" ? "@media all" : "@media not all");
  return (
    <iframe
      title={title}
      // Scripts, forms and popups stay forbidden; with the page's origin its styles can be set.
      sandbox="allow-same-origin"
      srcDoc={page.replaceAll("<style>", `<style nonce="${styleNonce()}">`).replaceAll(' style="', ` ${STYLE}="`)}
      className={className}
      onLoad={applyStyles}
    />
  );
}

/** The frame inherits the page's content policy, which refuses styles that are written at elements, but not set ones. */
const STYLE = "data-style";

function applyStyles({ currentTarget }: SyntheticEvent<HTMLIFrameElement>): void {
  for (const element of currentTarget.contentDocument?.querySelectorAll<HTMLElement>(`[${STYLE}]`) ?? []) {
    element.style.cssText = element.getAttribute(STYLE) ?? "";
  }
}

function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
