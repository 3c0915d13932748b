/** Where the console may get map tiles from: the host of a template such as `https://{s}.tiles.example/{z}/{x}/{y}.png`. */
export function tileSource(template: string): string {
  const match = /^(https?):\/\/([^/]+)/.exec(template);
  if (!match) return "";
  return `${match[1]}://${match[2]?.replaceAll(/\{[^}]*\}/g, "*")}`;
}

/** The strict content policy; styles that the console adds at run time carry the page's nonce. */
export function contentPolicy(options: { readonly nonce?: string; readonly tileUrl: string | null }): string {
  const images = ["'self'", "data:", ...(options.tileUrl === null ? [] : [tileSource(options.tileUrl)])].filter(
    Boolean,
  );
  const styles = ["'self'", ...(options.nonce === undefined ? [] : [`'nonce-${options.nonce}'`])];
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src ${styles.join(" ")}`,
    `img-src ${images.join(" ")}`,
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
