/** §5 Partner add/edit: certifications are typed and stored with commas between; each is trimmed, blank ones left out. */
export function certificationsOf(text: string | null): string[] {
  return (text ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** As they are stored; null where there is none. */
export function certificationsAsText(certifications: readonly string[]): string | null {
  return certifications.length === 0 ? null : certifications.join(", ");
}
