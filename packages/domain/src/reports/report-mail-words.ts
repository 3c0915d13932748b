import type { MailLanguage } from "@suncrew/contract/notifications/contact-points.ts";
import type { ReportMailFigures } from "@suncrew/contract/reports/reports.ts";
import { monthRange } from "./report-months.ts";

export const mailLanguageNames: Readonly<Record<MailLanguage, string>> = {
  en: "English",
  hi: "हिन्दी",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
};

/** What a mail with a monthly report says, apart from how it looks. */
export interface ReportMailText {
  readonly language: MailLanguage;
  readonly subject: string;
  readonly greeting: string;
  /** What is attached, and by which clock its times are. */
  readonly paragraphs: readonly string[];
  /** The period and the month's figures, without those that are not known. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Why the recipient gets it. */
  readonly footer: string;
  readonly unsubscribe: string;
  /** Between a label and its value. */
  readonly colon: string;
}

export interface ReportMailContent {
  readonly siteName: string;
  readonly timezone: string;
  /** 'YYYY-MM-01'. */
  readonly month: string;
  /** Null for reports of versions that stored none. */
  readonly figures: ReportMailFigures | null;
  readonly because: "CONTACT" | "SETTINGS";
}

interface Phrases {
  /** Regions decide how dates and numbers are written. */
  readonly locale: string;
  readonly subject: (site: string, month: string) => string;
  readonly greeting: string;
  readonly attached: (site: string, month: string) => string;
  readonly times: (timezone: string) => string;
  readonly period: string;
  readonly runs: string;
  readonly runsDone: (done: string, all: string) => string;
  readonly reachable: string;
  readonly ofTime: (percent: string) => string;
  readonly cleaned: string;
  readonly because: Readonly<Record<ReportMailContent["because"], (site: string) => string>>;
  readonly unsubscribe: string;
}

const phrases: Readonly<Record<MailLanguage, Phrases>> = {
  en: {
    locale: "en-GB",
    subject: (site, month) => `${site}: report for ${month}`,
    greeting: "Hello,",
    attached: (site, month) => `The report of ${site} for ${month} is attached as a PDF.`,
    times: (timezone) => `All times in the report are local to the site (${timezone}).`,
    period: "Period",
    runs: "Cleaning runs done",
    runsDone: (done, all) => `${done} of ${all}`,
    reachable: "Robots reachable",
    ofTime: (percent) => `${percent} of the time`,
    cleaned: "Time cleaned",
    because: {
      CONTACT: (site) => `You get this mail because your address is registered for the reports of ${site}.`,
      SETTINGS: () =>
        "You get this mail because your address is in Suncrew's report settings, or because you maintain the site.",
    },
    unsubscribe: "Unsubscribe",
  },
  hi: {
    locale: "hi-IN",
    subject: (site, month) => `${site}: ${month} की रिपोर्ट`,
    greeting: "नमस्ते,",
    attached: (site, month) => `${site} की ${month} की रिपोर्ट PDF के रूप में इस ईमेल के साथ संलग्न है।`,
    times: (timezone) => `रिपोर्ट में सभी समय साइट के स्थानीय समय (${timezone}) के अनुसार हैं।`,
    period: "अवधि",
    runs: "पूरी हुई सफ़ाइयाँ",
    runsDone: (done, all) => `${all} में से ${done}`,
    reachable: "रोबोट संपर्क में रहे",
    ofTime: (percent) => `${percent} समय`,
    cleaned: "सफ़ाई का कुल समय",
    because: {
      CONTACT: (site) => `आपको यह ईमेल इसलिए मिला है क्योंकि ${site} की रिपोर्ट के लिए आपका पता दर्ज है।`,
      SETTINGS: () =>
        "आपको यह ईमेल इसलिए मिला है क्योंकि आपका पता Suncrew की रिपोर्ट सेटिंग में दर्ज है या आप इस साइट का रखरखाव करते हैं।",
    },
    unsubscribe: "सदस्यता समाप्त करें",
  },
  de: {
    locale: "de-DE",
    subject: (site, month) => `${site}: Bericht für ${month}`,
    greeting: "Guten Tag,",
    attached: (site, month) => `im Anhang finden Sie den Bericht über die Anlage ${site} für ${month} als PDF.`,
    times: (timezone) => `Alle Uhrzeiten im Bericht sind in der Ortszeit der Anlage angegeben (${timezone}).`,
    period: "Zeitraum",
    runs: "Abgeschlossene Reinigungen",
    runsDone: (done, all) => `${done} von ${all}`,
    reachable: "Roboter erreichbar",
    ofTime: (percent) => `${percent} der Zeit`,
    cleaned: "Reinigungszeit",
    because: {
      CONTACT: (site) =>
        `Sie erhalten diese E-Mail, weil Ihre Adresse für die Berichte über die Anlage ${site} hinterlegt ist.`,
      SETTINGS: () =>
        "Sie erhalten diese E-Mail, weil Ihre Adresse in den Berichtseinstellungen von Suncrew steht oder weil Sie die Anlage warten.",
    },
    unsubscribe: "Abbestellen",
  },
  es: {
    locale: "es-ES",
    subject: (site, month) => `${site}: informe de ${month}`,
    greeting: "Buenos días:",
    attached: (site, month) => `Adjuntamos en PDF el informe de la planta ${site} correspondiente a ${month}.`,
    times: (timezone) => `Todas las horas del informe corresponden a la hora local de la planta (${timezone}).`,
    period: "Período",
    runs: "Limpiezas completadas",
    runsDone: (done, all) => `${done} de ${all}`,
    reachable: "Robots conectados",
    ofTime: (percent) => `${percent} del tiempo`,
    cleaned: "Tiempo de limpieza",
    because: {
      CONTACT: (site) =>
        `Recibe este correo porque su dirección está registrada para los informes de la planta ${site}.`,
      SETTINGS: () =>
        "Recibe este correo porque su dirección figura en los ajustes de informes de Suncrew o porque se encarga del mantenimiento de la planta.",
    },
    unsubscribe: "Darse de baja",
  },
  fr: {
    locale: "fr-FR",
    subject: (site, month) => `${site} : rapport ${ofMonth(month)}`,
    greeting: "Bonjour,",
    attached: (site, month) => `Vous trouverez ci-joint, au format PDF, le rapport du site ${site} ${forMonth(month)}.`,
    times: (timezone) => `Toutes les heures du rapport sont exprimées à l’heure locale du site (${timezone}).`,
    period: "Période",
    runs: "Nettoyages terminés",
    runsDone: (done, all) => `${done} sur ${all}`,
    reachable: "Robots joignables",
    ofTime: (percent) => `${percent} du temps`,
    cleaned: "Durée de nettoyage",
    because: {
      CONTACT: (site) =>
        `Vous recevez cet e-mail parce que votre adresse est enregistrée pour les rapports du site ${site}.`,
      SETTINGS: () =>
        "Vous recevez cet e-mail parce que votre adresse figure dans les paramètres des rapports de Suncrew ou parce que vous assurez la maintenance du site.",
    },
    unsubscribe: "Se désabonner",
  },
};

/** French elides before a vowel: "de mai", "d’août". */
function ofMonth(month: string): string {
  return /^[aeiouy]/iu.test(month) ? `d’${month}` : `de ${month}`;
}

function forMonth(month: string): string {
  return `pour le mois ${ofMonth(month)}`;
}

const MINUTES_PER_HOUR = 60;

/** The mail of a monthly report in a language; dates and numbers are written as it does. */
export function reportMailText(language: MailLanguage, content: ReportMailContent): ReportMailText {
  const { siteName, timezone, month, figures, because } = content;
  const words = phrases[language];
  const named = monthIn(words.locale, month);
  const facts = [{ label: words.period, value: periodIn(words.locale, month) }];
  if (figures !== null) facts.push(...factsOf(words, figures));
  return {
    language,
    subject: words.subject(siteName, named),
    greeting: words.greeting,
    paragraphs: [words.attached(siteName, named), words.times(timezone)],
    facts,
    footer: words.because[because](siteName),
    unsubscribe: words.unsubscribe,
    // French puts a space before it.
    colon: language === "fr" ? "\u00a0: " : ": ",
  };
}

function factsOf(words: Phrases, { runs, runs_done, minutes_cleaned, reachable_percent }: ReportMailFigures) {
  const { locale } = words;
  const count = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const hours = new Intl.NumberFormat(locale, {
    style: "unit",
    unit: "hour",
    unitDisplay: "long",
    maximumFractionDigits: 1,
  });
  return [
    ...(runs === 0 ? [] : [{ label: words.runs, value: words.runsDone(count.format(runs_done), count.format(runs)) }]),
    ...(minutes_cleaned === null
      ? []
      : [{ label: words.cleaned, value: hours.format(minutes_cleaned / MINUTES_PER_HOUR) }]),
    ...(reachable_percent === null
      ? []
      : [{ label: words.reachable, value: words.ofTime(percent.format(reachable_percent / 100)) }]),
  ];
}

function monthIn(locale: string, month: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  return format.format(new Date(`${month}T00:00:00Z`));
}

function periodIn(locale: string, month: string): string {
  const { from, to } = monthRange(month);
  const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  const day = (text: string) => new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return format.formatRange(day(from), day(to));
}

/** The mail as plain text. */
export function reportMailAsText(text: ReportMailText, unsubscribeUrl: string | null): string {
  const { greeting, paragraphs, facts, footer, unsubscribe, colon } = text;
  return [
    greeting,
    paragraphs.join("\n"),
    facts.map(({ label, value }) => `${label}${colon}${value}`).join("\n"),
    ["-- ", footer, ...(unsubscribeUrl === null ? [] : [`${unsubscribe}${colon}${unsubscribeUrl}`])].join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}
