/** §5 Robot form: names are compared without spaces, case-sensitively. */
export function robotNameKey(name: string): string {
  return name.normalize("NFC").replaceAll(/\s+/gu, "");
}

/** "Row 1 (SCR-1003)": people know a robot by its name, its card in the console by its serial number. Null without either. */
export function robotWithSerial(name: string | null, serialNumber: string | null): string | null {
  if (name === null || serialNumber === null || name === serialNumber) return name ?? serialNumber;
  return `${name} (${serialNumber})`;
}

/** §5: the error for a name that another robot of the site has. */
export const DUPLICATE_ROBOT_NAME = "Robot name already exists for this site";
