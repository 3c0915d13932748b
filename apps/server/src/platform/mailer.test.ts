import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attachmentOf, SmtpSink } from "../demo/smtp-sink.ts";
import { type Mail, MailRefused, smtpMailer, type SmtpSettings } from "./mailer.ts";

let sink: SmtpSink;
beforeEach(async () => {
  sink = await SmtpSink.open();
});
afterEach(() => sink.close());

const mail = {
  messageId: "report-7",
  to: ["asha@sun.example", "ravi@care.example"],
  subject: "सूर्य पार्क: report\r\nBcc: thief@evil.example",
  text: "It is attached.",
  file: { name: "सूर्य.pdf", type: "application/pdf" as const, content: Buffer.from("%PDF-1.7\n.\n..\nend") },
} satisfies Mail;

const never = new AbortController().signal;

function mailer(settings: Partial<SmtpSettings> = {}, maxMs?: number) {
  const complete: SmtpSettings = {
    host: "127.0.0.1",
    port: sink.port,
    secure: false,
    requireTls: false,
    user: null,
    password: null,
    from: { name: "Suncrew", address: "reports@sun.example" },
    ...settings,
  };
  return smtpMailer(complete, maxMs);
}

describe("mail over SMTP", () => {
  test("every recipient gets it without seeing the others, and the attachment arrives unchanged", async () => {
    expect(await mailer().send(mail, never)).toEqual({
      accepted: mail.to,
      rejected: [],
      answer: expect.stringMatching(/^250/),
    });
    const [received] = sink.mails;
    expect(received).toMatchObject({ from: "reports@sun.example", to: mail.to });
    expect(received?.raw).toContain("From: Suncrew <reports@sun.example>");
    expect(received?.raw).toContain("Message-ID: <report-7@sun.example>");
    expect(received?.raw).not.toMatch(/asha|ravi|^Bcc/im);
    expect(received && attachmentOf(received)).toEqual(mail.file.content);
  });

  test("reports the addresses that were refused, some or all", async () => {
    sink.refuses = ["ravi@care.example"];
    const reason = "550 5.1.1 nobody has this address";
    const rejected = [{ address: "ravi@care.example", reason }];
    expect(await mailer().send(mail, never)).toMatchObject({ accepted: ["asha@sun.example"], rejected });
    sink.refuses = mail.to;
    expect(await mailer().send(mail, never)).toEqual({
      accepted: [],
      rejected: mail.to.map((address) => ({ address, reason })),
    });
  });

  test("a failure is explained in plain words, without the credentials", async () => {
    sink.failsWith = "552 too big";
    await expect(mailer().send(mail, never)).rejects.toThrow("The mail server rejected it: 552 too big");
    const signIn = { user: "reports", password: "hush-hush" };
    const refused = await mailer({ ...signIn, requireTls: true })
      .send(mail, never)
      .catch((error: unknown) => String(error));
    expect(refused).toBe("MailRefused: The mail server offers no encryption that works.");
    const unreached = mailer(signIn);
    await sink.close();
    await expect(unreached.send(mail, never)).rejects.toThrow(
      /^The mail server could not be reached \(ECONNREFUSED\)\.$/,
    );
    sink = await SmtpSink.open();
  });

  test("its answer can be stored, whatever characters it has and wherever it is cut", async () => {
    sink.failsWith = `552 full\u0000 ${"x".repeat(189)}😀😀`;
    const error: unknown = await mailer()
      .send(mail, never)
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof MailRefused)) throw new Error("It was not refused.");
    expect(error.reason.text).toBe(`The mail server rejected it: 552 full ${"x".repeat(189)}`);
  });

  test("a server that never answers is given up on, and disconnected immediately when the sender stops", async () => {
    sink.holds = () => {};
    const silent = "The mail server did not say whether it accepted the mail. It may have done so.";
    await expect(mailer({}, 3_000).send(mail, never)).rejects.toThrow(silent);
    const stopping = new AbortController();
    const left = Promise.withResolvers<void>();
    sink.holds = () => {
      left.resolve(sink.left());
      stopping.abort();
    };
    await expect(mailer().send(mail, stopping.signal)).rejects.toThrow(silent);
    await left.promise;
    expect(sink.mails).toEqual([]);
  });

  test("a single recipient is named in the mail, which may have HTML, no file, and headers for readers", async () => {
    const { file: _file, ...rest } = mail;
    const unsubscribe = `<https://sun.example/unsubscribe?token=${"a".repeat(200)}>`;
    const headers = { "List-Unsubscribe": unsubscribe, "Auto-Submitted": "auto-generated" };
    await mailer().send({ ...rest, to: ["asha@sun.example"], html: "<p>It is attached.</p>", headers }, never);
    const raw = sink.mails[0]?.raw ?? "";
    expect(raw).toContain("To: asha@sun.example\r\n");
    expect(raw.replaceAll("\r\n ", " ")).toContain(`List-Unsubscribe: ${unsubscribe}\r\n`);
    expect(raw).toContain("Auto-Submitted: auto-generated\r\n");
    expect(raw).toMatch(/text\/plain[^]*It is attached\.[^]*text\/html[^]*<p>It is attached\.<\/p>/);
    expect(raw).not.toContain("Content-Disposition: attachment");
  });

  test("a connection that is lost before the whole mail was handed over is told apart from one after which it may have arrived", async () => {
    const reason = async (settings?: Partial<SmtpSettings>, { maxMs = 5_000, one = mail } = {}) =>
      mailer(settings, maxMs)
        .send(one, never)
        .catch((error: unknown) => (error instanceof MailRefused ? error.reason.code : String(error)));
    for (const at of ["CALL", "EHLO", "MAIL", "RCPT", "DATA"] as const) {
      sink.cutsAt = at;
      expect.soft([at, await reason()]).toEqual([at, "SMTP_UNREACHABLE"]);
    }
    // More than any buffer on the way takes.
    const large = { ...mail, file: { ...mail.file, content: Buffer.alloc(24_000_000, 7) } };
    sink.cutsAt = "BODY";
    expect(await reason({}, { one: large })).toBe("SMTP_UNREACHABLE");
    sink.cutsAt = "END";
    expect(await reason()).toBe("SMTP_SILENT");
    sink.cutsAt = null;
    sink.isMute = true;
    expect(await reason({}, { maxMs: 300 })).toBe("SMTP_TOO_SLOW");
    sink.isMute = false;
    expect(await reason({ host: "nowhere.invalid" })).toBe("SMTP_UNREACHABLE");
    // It expects encryption from the first byte.
    expect(await reason({ secure: true })).toBe("SMTP_UNREACHABLE");
  });

  test("a mail that the server will never take is told apart from one that it may take later", async () => {
    const finality = (error: unknown) => error instanceof MailRefused && error.isFinal;
    sink.failsWith = "552 too big";
    expect(await mailer().send(mail, never).catch(finality)).toBe(true);
    sink.failsWith = "451 later";
    expect(await mailer().send(mail, never).catch(finality)).toBe(false);
  });
});
