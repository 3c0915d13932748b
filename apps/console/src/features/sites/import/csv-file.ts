import { IMPORT_MAX_BYTES } from "@suncrew/contract/http/import.ts";

export type FileReading = { readonly text: string } | { readonly problem: string };

/** The text of a chosen file, or in plain words why it cannot be taken. */
export async function readCsvFile(file: File): Promise<FileReading> {
  if (file.size === 0) return { problem: "The file is empty." };
  if (file.size > IMPORT_MAX_BYTES) {
    return { problem: `The file is larger than ${IMPORT_MAX_BYTES / 1_048_576} MiB. Split it into several files.` };
  }
  try {
    return readCsvBytes(await file.arrayBuffer());
  } catch {
    return { problem: "The file could not be read. Choose it again." };
  }
}

/** UTF-8, or UTF-16 by its mark; another encoding would spoil names, so it is refused rather than guessed. */
export function readCsvBytes(bytes: ArrayBuffer): FileReading {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "The file is not saved as UTF-8. In the spreadsheet, save it as “CSV UTF-8”." };
  }
}
