/** What the content policy asks of each `<style>` of the page, and of the frames in it. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
