import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attachmentOf, SmtpSink } from "../../test/smtp-sink.ts";
import { type Mail, smtpMailer, type SmtpSettings } from "./mailer.ts";

let sink: SmtpSink;
beforeEach(async () => {
  sink = await SmtpSink.open();
});
afterEach(() => sink.close());

const mail: Mail = {
  messageId: "report-7",
  to: ["asha@sun.example", "ravi@care.example"],
  subject: "सूर्य पार्क: report\r\nBcc: thief@evil.example",
  text: "It is attached.",
  file: { name: "सूर्य.pdf", type: "application/pdf", content: Buffer.from("%PDF-1.7\n.\n..\nend") },
};

const goes = new AbortController().signal;

function mailer(settings: Partial<SmtpSettings> = {}, mostMs?: number) {
  const whole: SmtpSettings = {
    host: "127.0.0.1",
    port: sink.port,
    secure: false,
    requireTls: false,
    user: null,
    password: null,
    from: { name: "Suncrew", address: "reports@sun.example" },
    ...settings,
  };
  return smtpMailer(whole, mostMs);
}

describe("mail over SMTP", () => {
  test("each address gets it, none is told of the others, and the file arrives as it was", async () => {
    expect(await mailer().send(mail, goes)).toEqual({ accepted: mail.to, rejected: [] });
    const [taken] = sink.mails;
    expect(taken).toMatchObject({ from: "reports@sun.example", to: mail.to });
    expect(taken?.raw).toContain("From: Suncrew <reports@sun.example>");
    expect(taken?.raw).toContain("Message-ID: <report-7@sun.example>");
    expect(taken?.raw).not.toMatch(/asha|ravi|^Bcc/im);
    expect(taken && attachmentOf(taken)).toEqual(mail.file.content);
  });

  test("addresses that are refused are told, all or some of them", async () => {
    sink.refuses = ["ravi@care.example"];
    const reason = "550 5.1.1 nobody has this address";
    const rejected = [{ address: "ravi@care.example", reason }];
    expect(await mailer().send(mail, goes)).toEqual({ accepted: ["asha@sun.example"], rejected });
    sink.refuses = mail.to;
    expect(await mailer().send(mail, goes)).toEqual({
      accepted: [],
      rejected: mail.to.map((address) => ({ address, reason })),
    });
  });

  test("a failure is told in plain words, without the sign-in", async () => {
    sink.failsWith = "552 too big";
    await expect(mailer().send(mail, goes)).rejects.toThrow("The mail server did not take it: 552 too big");
    const signIn = { user: "reports", password: "hush-hush" };
    const refused = await mailer({ ...signIn, requireTls: true })
      .send(mail, goes)
      .catch((error: unknown) => String(error));
    expect(refused).toBe("MailRefused: The mail server offers no encryption that works.");
    const unreached = mailer(signIn);
    await sink.close();
    await expect(unreached.send(mail, goes)).rejects.toThrow(/^The mail server was not reached \(ESOCKET\)\.$/);
    sink = await SmtpSink.open();
  });

  test("a server that never says whether it took the mail is given up, and left at once when the sender stops", async () => {
    sink.holds = () => {};
    await expect(mailer({}, 300).send(mail, goes)).rejects.toThrow(/^The mail server took too long\.$/);
    const stopping = new AbortController();
    const left = Promise.withResolvers<void>();
    sink.holds = () => {
      left.resolve(sink.left());
      stopping.abort();
    };
    await expect(mailer().send(mail, stopping.signal)).rejects.toThrow("The mail server took too long.");
    await left.promise;
    expect(sink.mails).toEqual([]);
  });
});
