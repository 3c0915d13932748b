const KIB = 1_024;

/** A size as people read it: 512 B, 1.5 KiB, 16 MiB. */
export function bytesText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  const [size, unit] = bytes < KIB * KIB ? [bytes / KIB, "KiB"] : [bytes / KIB / KIB, "MiB"];
  return `${size.toLocaleString("en-GB", { maximumFractionDigits: 1 })} ${unit}`;
}
