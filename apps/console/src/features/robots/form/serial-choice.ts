import type { SerialNumber } from "@suncrew/contract/robots/robot-forms.ts";

/** A serial number of the picker: free, on another robot, or the one that the edited robot has. */
export interface SerialChoice {
  readonly serialNumber: string;
  readonly state: "free" | "assigned" | "own";
}

/** §3 Assignable serial numbers: those that the words leave, in the server's order; `own` may be chosen though it is assigned. */
export function serialChoices(
  numbers: readonly SerialNumber[],
  own: string | null,
  words: string,
): readonly SerialChoice[] {
  const wanted = words.trim().toLowerCase();
  return numbers
    .filter(({ serial_number }) => serial_number.toLowerCase().includes(wanted))
    .map(({ serial_number: serialNumber, assigned }) => ({
      serialNumber,
      state: serialNumber === own ? "own" : assigned ? "assigned" : "free",
    }));
}
