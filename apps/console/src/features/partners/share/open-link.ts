/**
 * Opens a prefilled message. A web page opens beside the console and learns nothing of it; the mail program and text
 * messages leave the console where it is. The link has a password in it: it is built when it is opened, and kept nowhere.
 */
export function openLink(link: string): void {
  if (link.startsWith("https:")) window.open(link, "_blank", "noopener,noreferrer");
  else window.open(link, "_self");
}
