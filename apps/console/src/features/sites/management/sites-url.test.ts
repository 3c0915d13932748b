import { expect, test } from "vitest";
import { readUrl, writeUrl } from "../../../platform/url-state.ts";
import { sitesUrl } from "./sites-url.ts";

test.each([
  ["", { siteId: null, tab: "robots", search: "" }],
  ["site=3&tab=groups&q=jodh", { siteId: 3, tab: "groups", search: "jodh" }],
  ["site=x&tab=elsewhere", { siteId: null, tab: "robots", search: "" }],
  ["site=0", { siteId: null, tab: "robots", search: "" }],
])("the selected site, tab and search live in the address: %j", (text, address) => {
  expect(readUrl(sitesUrl, new URLSearchParams(text))).toEqual(address);
});

test("what is as by default is left out of the address, and what is not the page's is kept", () => {
  const params = new URLSearchParams("site=3&tab=groups&q=jodh&other=1");
  expect(writeUrl(sitesUrl, params, { siteId: 4, tab: "robots", search: "" }).toString()).toBe("site=4&other=1");
  expect(writeUrl(sitesUrl, params, {}).toString()).toBe("site=3&tab=groups&q=jodh&other=1");
});
