const words: Readonly<Record<string, string>> = {
  kept_report: "Monthly report",
  START_SCHEDULED_RUN_ANEW: "Start scheduled run again",
};

/** An action, the kind of a thing or a field of the audit as people read it and search for it: `UPDATE_SITE`, "Update site". */
export function auditWords(text: string): string {
  const known = words[text];
  if (known !== undefined) return known;
  const plain = text.replaceAll("_", " ").toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Those whose words, as shown or as stored, have this text in them, in any case. */
export function withAuditWords(texts: readonly string[], search: string): string[] {
  const asked = search.toLowerCase();
  return texts.filter((text) => [text, auditWords(text)].some((shown) => shown.toLowerCase().includes(asked)));
}
