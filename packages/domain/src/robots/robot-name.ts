/** §5 Robot form: names are compared without any spaces, their case kept. */
export function robotNameKey(name: string): string {
  return name.normalize("NFC").replaceAll(/\s+/gu, "");
}

/** §5: the sentence of a name that another robot of the site has. */
export const DUPLICATE_ROBOT_NAME = "Robot name already exists for this site";
