import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mailtoLink, shareMessage, smsLink, whatsAppLink } from "./share-links.ts";

const credentials = {
  addressee: " Asha Rao",
  username: "suncare.services",
  password: "a+b&c=d%e#f g",
  signInAddress: "https://suncrew.example",
  customMessage: " Welcome,\r\nसौर टीम & co. ",
};

/** What a mail program reads, which does not treat + as a space. */
function field(link: string, name: string): string {
  const [, value = ""] = new RegExp(`[?&]${name}=([^&#]*)`).exec(link) ?? [];
  return decodeURIComponent(value);
}

describe("§2 Share Login Credentials: prefilled links", () => {
  test("the message contains the recipient, the username, the password, the address and the sender's text", () => {
    expect(shareMessage(credentials).split("\n")).toEqual([
      "Hello Asha Rao,",
      "",
      "these are your login credentials for Suncrew:",
      "Username: suncare.services",
      "Password: a+b&c=d%e#f g",
      "Sign in at: https://suncrew.example",
      "",
      "Welcome,",
      "सौर टीम & co.",
      "",
      "Please change the password in your profile after you have signed in.",
    ]);
    expect(shareMessage({ ...credentials, customMessage: " \n" })).not.toContain("\n\n\n");
  });

  test("email: spaces are %20, lines end with CRLF, the address stays readable", () => {
    expect(mailtoLink(" asha+sun@suncare.example ", "A b", "c & d\ne+f")).toBe(
      "mailto:asha%2Bsun@suncare.example?subject=A%20b&body=c%20%26%20d%0D%0Ae%2Bf",
    );
  });

  test("WhatsApp: digits only", () => {
    expect(whatsAppLink("+919845012345", "a b\nc")).toBe("https://wa.me/919845012345?text=a%20b%0Ac");
  });

  test("SMS: the number with its plus sign", () => {
    expect(smsLink("+919845012345", "a b?c")).toBe("sms:+919845012345?body=a%20b%3Fc");
  });

  test("any text arrives unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (password) => {
        const text = shareMessage({ ...credentials, password: password.replaceAll("\r", "") });
        expect(field(smsLink("+919845012345", text), "body")).toBe(text);
        expect(field(whatsAppLink("+919845012345", text), "text")).toBe(text);
        expect(field(mailtoLink("a@b.example", "Hello", text), "body")).toBe(text.replaceAll("\n", "\r\n"));
        for (const link of [smsLink("+91", text), whatsAppLink("+91", text), mailtoLink("a@b.example", "s", text)]) {
          expect(link.slice(10)).not.toMatch(/[+\s#]/);
        }
      }),
    );
  });

  test("half a surrogate pair does not break the message", () => {
    expect(smsLink("+919845012345", "a\uD83D")).toBe("sms:+919845012345?body=a%EF%BF%BD");
  });
});
