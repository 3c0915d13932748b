/** §5 Robot group: names are compared without case and spaces. Empty where nothing but spaces was typed. */
export function groupNameKey(name: string): string {
  return name.normalize("NFC").replaceAll(/\s+/gu, "").toLowerCase();
}
