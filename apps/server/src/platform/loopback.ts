/** Whether a host name or address reaches this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || name === "::ffff:127.0.0.1" || /^127(\.\d{1,3}){3}$/.test(name);
}
