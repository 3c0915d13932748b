import { expect, test } from "vitest";
import { readUrl, writeUrl } from "../../../platform/url-state.ts";
import { sitesUrl } from "./sites-url.ts";

test.each([
  ["", { siteId: null, tab: "robots", search: "" }],
  ["site=3&tab=groups&q=jodh", { siteId: 3, tab: "groups", search: "jodh" }],
  ["site=x&tab=elsewhere", { siteId: null, tab: "robots", search: "" }],
  ["site=0", { siteId: null, tab: "robots", search: "" }],
])("the selected site, tab and search are kept in the URL: %j", (text, address) => {
  expect(readUrl(sitesUrl, new URLSearchParams(text))).toEqual(address);
});

test("defaults are left out of the URL, and other parameters are kept", () => {
  const params = new URLSearchParams("site=3&tab=groups&q=jodh&other=1");
  expect(writeUrl(sitesUrl, params, { siteId: 4, tab: "robots", search: "" }).toString()).toBe("site=4&other=1");
  expect(writeUrl(sitesUrl, params, {}).toString()).toBe("site=3&tab=groups&q=jodh&other=1");
});
