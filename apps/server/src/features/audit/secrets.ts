/** Part of the name of a field that is never written down. */
const secretName = /password|secret|token|hash|credential|authorization|cookie|api_?key/i;

/** The same value without the fields whose names say that they are secret, at any depth. */
export function withoutSecrets(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !secretName.test(name))
      .map(([name, part]) => [name, cleaned(part)]),
  );
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (value instanceof Date || value === null || typeof value !== "object") return value;
  return withoutSecrets(Object.fromEntries(Object.entries(value)));
}
