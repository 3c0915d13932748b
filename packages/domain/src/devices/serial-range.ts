const NUMBERED = /^(.*?)(\d{1,9})$/;

/**
 * The serial numbers from the first to the last, counted up in the digits at their end: SCR-1021 to SCR-1040. Null where
 * the two are no such pair (other letters, other number of digits, the last before the first) or are more than `most`.
 */
export function serialRange(first: string, last: string, most: number): string[] | null {
  if (first === last) return [first];
  const [, prefix, digits] = NUMBERED.exec(first) ?? [];
  const [, lastPrefix, lastDigits] = NUMBERED.exec(last) ?? [];
  if (prefix === undefined || digits === undefined || lastDigits === undefined) return null;
  const count = Number(lastDigits) - Number(digits) + 1;
  if (prefix !== lastPrefix || digits.length !== lastDigits.length || count < 1 || count > most) return null;
  return Array.from({ length: count }, (_, index) =>
    prefix.concat(String(Number(digits) + index).padStart(digits.length, "0")),
  );
}
