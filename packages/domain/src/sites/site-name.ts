/** §5 Site create: names are compared trimmed, in any case. */
export function siteNameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

/** §5: title and sentence of a name that is taken. */
export const duplicateSiteName = {
  title: "Duplicate Site Name",
  message: "A site with this name already exists. Please choose a different name.",
} as const;
