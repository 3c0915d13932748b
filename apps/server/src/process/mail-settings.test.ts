import { describe, expect, test } from "vitest";
import { readSettings } from "./settings.ts";

function mailIn(set: Record<string, string>) {
  const settings = readSettings("demo", set);
  return "errors" in settings ? settings.errors : settings.mail;
}

describe("set-up: mail", () => {
  test("none without SMTP_URL; either variable alone is refused", () => {
    expect(mailIn({})).toBeNull();
    expect(mailIn({ SMTP_URL: "smtp://mail.example.org" })).toEqual([
      "MAIL_FROM is missing: mails sent by SMTP_URL need a sender.",
    ]);
    expect(mailIn({ MAIL_FROM: "reports@example.org" })).toEqual([
      "SMTP_URL is missing: without it nothing is sent from MAIL_FROM.",
    ]);
  });

  test("mail to another machine is encrypted or not sent; credentials and sender are parsed", () => {
    const from = { name: "", address: "reports@example.org" };
    const set = (url: string, sender = "reports@example.org") => mailIn({ SMTP_URL: url, MAIL_FROM: sender });
    expect(set("smtp://sun%40crew:p%2Fw@mail.example.org", "Suncrew Reports <reports@example.org>")).toEqual({
      host: "mail.example.org",
      port: 587,
      secure: false,
      requireTls: true,
      user: "sun@crew",
      password: "p/w",
      from: { name: "Suncrew Reports", address: "reports@example.org" },
    });
    const open = { user: null, password: null, from };
    expect(set("smtps://mail.example.org/")).toEqual({
      host: "mail.example.org",
      port: 465,
      secure: true,
      requireTls: false,
      ...open,
    });
    expect(set("smtp://[::1]:25")).toEqual({ host: "::1", port: 25, secure: false, requireTls: false, ...open });
  });

  test("an invalid mail server URL is refused without repeating it", () => {
    const wrong = mailIn({ SMTP_URL: "smtp://user:hush@mail.example.org/inbox", MAIL_FROM: "reports@example.org" });
    expect(wrong).toEqual([expect.stringMatching(/^SMTP_URL must be/)]);
    expect(JSON.stringify(wrong)).not.toContain("hush");
  });
});
