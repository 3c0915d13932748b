import { expect, test } from "vitest";
import { urlOf } from "./call.ts";

test("parameters are filled in and encoded", () => {
  expect(urlOf("/api/robots/robotsList/:siteId", { siteId: "4/5 ?" })).toBe("/api/robots/robotsList/4%2F5%20%3F");
});

test("the query has what is defined, encoded", () => {
  expect(urlOf("/api/x", undefined, { robotId: "SCR-1001 &", limit: 0, cursor: undefined })).toBe(
    "/api/x?robotId=SCR-1001+%26&limit=0",
  );
  expect(urlOf("/api/x", undefined, { cursor: undefined })).toBe("/api/x");
});
