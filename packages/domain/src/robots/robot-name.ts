/** §5 Robot form: names are compared without spaces, case-sensitively. */
export function robotNameKey(name: string): string {
  return name.normalize("NFC").replaceAll(/\s+/gu, "");
}

/** §5: the error for a name that another robot of the site has. */
export const DUPLICATE_ROBOT_NAME = "Robot name already exists for this site";
