/** Names of templates are compared trimmed, in any case. */
export function templateNameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

/** Why a name cannot be had. */
export const TEMPLATE_NAME_TAKEN = "A report template with this name already exists. Please choose a different name.";
