import { expect, test } from "vitest";
import { readUrl, writeUrl } from "../../platform/url-state.ts";
import { ALERTS_CLOSED, type AlertsUrl, alertsUrl } from "./alerts-url.ts";

const read = (text: string) => readUrl(alertsUrl, new URLSearchParams(text));
const changed = (text: string, change: Partial<AlertsUrl>) =>
  writeUrl(alertsUrl, new URLSearchParams(text), change).toString();

test("Alerts: the list and its filters are kept in the URL, and invalid values are left out", () => {
  expect(read("site=3&tab=groups")).toEqual(ALERTS_CLOSED);
  expect(read("dialog=alerts")).toEqual({ ...ALERTS_CLOSED, isOpen: true });
  expect(read("dialog=alerts&state=all&severity=critical&alert-site=7&robot=12")).toEqual({
    isOpen: true,
    state: "all",
    severity: "CRITICAL",
    siteId: 7,
    robotId: 12,
  });
  expect(read("dialog=alerts&state=x&severity=y&alert-site=0&robot=99999999999")).toEqual(read("dialog=alerts"));
});

test("Alerts: other parameters stay in the URL, and closing removes all of the list's own", () => {
  const open = changed("site=3", { isOpen: true, robotId: 12, state: "cleared" });
  expect(open).toBe("site=3&dialog=alerts&state=cleared&robot=12");
  expect(changed(open, { robotId: null, severity: "INFO" })).toBe("site=3&dialog=alerts&state=cleared&severity=info");
  expect(changed(open, ALERTS_CLOSED)).toBe("site=3");
});
