import { expect, test } from "vitest";
import { diskLevel, sizeText } from "./disk-space.ts";
import { diskAlert } from "./server-alerts.ts";

const of = (percent: number) => ({ totalBytes: 1_000, freeBytes: percent * 10 });

test.each([
  [50, "ENOUGH", "ENOUGH"],
  [15, "ENOUGH", "ENOUGH"],
  [14.9, "ENOUGH", "LITTLE"],
  [16.9, "LITTLE", "LITTLE"],
  [17, "LITTLE", "ENOUGH"],
  [5, "LITTLE", "LITTLE"],
  [4.9, "LITTLE", "NEARLY_NONE"],
  [4.9, "ENOUGH", "NEARLY_NONE"],
  [6.9, "NEARLY_NONE", "NEARLY_NONE"],
  [7, "NEARLY_NONE", "LITTLE"],
  [16, "NEARLY_NONE", "LITTLE"],
  [90, "NEARLY_NONE", "ENOUGH"],
  [0, "ENOUGH", "NEARLY_NONE"],
] as const)("Alerts: a disk with %d %% free that had %s has %s", (percent, former, level) => {
  expect(diskLevel(of(percent), former)).toBe(level);
});

test.each([
  [0, "0 kB"],
  [1_536, "1.5 kB"],
  [10 * 1024 ** 2, "10 MB"],
  [9.96 * 1024 ** 2, "10 MB"],
  [1023.9 * 1024 ** 2, "1 GB"],
  [4.72 * 1024 ** 3, "4.7 GB"],
  [120 * 1024 ** 3, "120 GB"],
  [3_000 * 1024 ** 4, "3000 TB"],
])("Stored data: %d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

const one = { server: "suncrew-1", folder: "/var/lib/suncrew", percent: 12, free: "4.7 GB", level: "LITTLE" } as const;

test("Alerts: a disk that is nearly full is named with its server, folder and free space", () => {
  expect(diskAlert([one])).toMatchObject({
    code: "DISK_NEARLY_FULL",
    severity: "WARNING",
    text: "The disk of server suncrew-1 with the folder /var/lib/suncrew is nearly full: 4.7 GB are free, 12 %. Once it is full, nothing can be stored.",
  });
  expect(diskAlert([{ ...one, folder: "database", level: "NEARLY_NONE", percent: 3 }])).toMatchObject({
    severity: "CRITICAL",
    text: "The disk of the database is nearly full: 4.7 GB are free, 3 %. Once it is full, nothing can be stored.",
  });
});

test("Alerts: several disks are told together, in a fixed order", () => {
  const two = { ...one, server: "suncrew-2", percent: 4, level: "NEARLY_NONE" } as const;
  const alert = diskAlert([two, one]);
  expect(alert).toEqual(diskAlert([one, two]));
  expect(alert).toMatchObject({
    severity: "CRITICAL",
    text: "2 disks are nearly full. Once one is full, nothing can be stored. Server suncrew-1 with the folder /var/lib/suncrew: 4.7 GB are free, 12 %. Server suncrew-2 with the folder /var/lib/suncrew: 4.7 GB are free, 4 %.",
  });
});
