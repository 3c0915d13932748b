import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { degreesInputSchema } from "@suncrew/contract/http/values.ts";
import { siteBodySchema } from "@suncrew/contract/sites/sites.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { missingContacts } from "@suncrew/domain/sites/site-contacts.ts";
import { isSamePlace, type Place, siteNameKey } from "@suncrew/domain/sites/site-duplicates.ts";
import type { EditedFields } from "../../../ui/use-merged-edits.ts";

/** §3 Site form fields, as they stand in the dialog. */
export interface SiteForm {
  readonly name: string;
  readonly address: string;
  readonly district: string;
  readonly state: string;
  readonly pinCode: string;
  readonly commissioningDate: string;
  readonly lat: string;
  readonly lng: string;
  readonly maintenancePartnerId: number | null;
  /** The chosen partner's name; empty where none is. */
  readonly maintenancePartner: string;
  /** These three are typed where there is no partner; with one, they wait for its going. */
  readonly maintenanceContact: string;
  readonly maintenancePhone: string;
  readonly maintenanceEmail: string;
}

export type SiteField = Exclude<keyof SiteForm, "maintenancePartner">;
export type FieldProblems = Readonly<Partial<Record<SiteField, string>>>;

/** The fields in the order of the dialog, by their names on the screen. */
export const siteFieldLabel: Record<SiteField, string> = {
  name: "Site name",
  address: "Address",
  district: "District",
  state: "State",
  pinCode: "Pin code",
  commissioningDate: "Commissioning date",
  lat: "Latitude",
  lng: "Longitude",
  maintenancePartnerId: "Maintenance partner",
  maintenanceContact: "Contact",
  maintenancePhone: "Phone",
  maintenanceEmail: "Email",
};

export const SITE_FIELDS: readonly SiteField[] = [
  "name",
  "address",
  "district",
  "state",
  "pinCode",
  "commissioningDate",
  "lat",
  "lng",
  "maintenancePartnerId",
  "maintenanceContact",
  "maintenancePhone",
  "maintenanceEmail",
];

/** What a field is called in a body and in the server's answer to it. */
const fieldOfWire: Readonly<Record<string, SiteField>> = {
  name: "name",
  address: "address",
  district: "district",
  state: "state",
  pin_code: "pinCode",
  commissioning_date: "commissioningDate",
  latitude: "lat",
  longitude: "lng",
  maintenance_partner_id: "maintenancePartnerId",
  maintenance_contact_name: "maintenanceContact",
  maintenance_contact: "maintenancePhone",
  maintenance_email: "maintenanceEmail",
};

export const emptySiteForm: SiteForm = {
  name: "",
  address: "",
  district: "",
  state: "",
  pinCode: "",
  commissioningDate: "",
  lat: "",
  lng: "",
  maintenancePartnerId: null,
  maintenancePartner: "",
  maintenanceContact: "",
  maintenancePhone: "",
  maintenanceEmail: "",
};

export function siteFormOf(site: Site): SiteForm {
  return {
    name: stripInvisible(site.name),
    address: stripInvisible(site.address),
    district: stripInvisible(site.district),
    state: stripInvisible(site.state),
    pinCode: site.pin_code,
    commissioningDate: site.commissioning_date,
    lat: String(site.latitude),
    lng: String(site.longitude),
    maintenancePartnerId: site.maintenance_partner_id,
    maintenancePartner: site.partner_name ?? "",
    maintenanceContact: stripInvisible(site.maintenance_contact_name ?? ""),
    maintenancePhone: stripInvisible(site.maintenance_contact ?? ""),
    maintenanceEmail: site.maintenance_email ?? "",
  };
}

/** §7 sites/create and sites/update: the same body. With a partner nothing typed is sent: the partner's own counts. */
export function siteBodyOf(form: SiteForm) {
  const typed = form.maintenancePartnerId === null;
  return {
    name: form.name.trim(),
    address: form.address.trim(),
    district: form.district.trim(),
    state: form.state.trim(),
    pin_code: form.pinCode.trim(),
    commissioning_date: form.commissioningDate,
    latitude: form.lat.trim(),
    longitude: form.lng.trim(),
    maintenance_partner_id: form.maintenancePartnerId,
    maintenance_contact: typed ? form.maintenancePhone.trim() : null,
    maintenance_contact_name: typed ? form.maintenanceContact.trim() : null,
    maintenance_email: typed ? form.maintenanceEmail.trim() : null,
  };
}

/** §5 Site create: what is wrong with each field; the server holds the same rules by the same schema. */
export function siteFormProblems(form: SiteForm): FieldProblems {
  const problems: Partial<Record<SiteField, string>> = {};
  const isBlank = (field: SiteField) => String(form[field] ?? "").trim() === "";
  for (const field of ["lat", "lng", "commissioningDate"] as const) {
    if (isBlank(field)) problems[field] = `${siteFieldLabel[field]} is required`;
  }
  const body = siteBodyOf(form);
  const errors = siteBodySchema.safeParse(body).error?.issues ?? [];
  const told = errors.map(({ path, message }) => ({ field: String(path[0]), message }));
  return { ...toldProblems([...missingContacts(body), ...told]), ...problems };
}

/** The server's or the schema's `errors` by the fields of the dialog, each a whole sentence. */
export function toldProblems(errors: readonly { readonly field: string; readonly message: string }[]): FieldProblems {
  const problems: Partial<Record<SiteField, string>> = {};
  for (const { field: wire, message } of errors) {
    const field = Object.hasOwn(fieldOfWire, wire) ? fieldOfWire[wire] : undefined;
    if (field === undefined) continue;
    problems[field] ??= /^[a-z]/.test(message) ? `${siteFieldLabel[field]} ${message}` : message;
  }
  return problems;
}

/** The coordinates as numbers; null where they are none yet. */
export function placeOf(form: Pick<SiteForm, "lat" | "lng">): Place | null {
  const latitude = degreesInputSchema("Latitude", 90).safeParse(form.lat.trim()).data;
  const longitude = degreesInputSchema("Longitude", 180).safeParse(form.lng.trim()).data;
  return latitude === undefined || longitude === undefined ? null : { latitude, longitude };
}

export type Duplicate = "name" | "place";

/** §5: what another site already has; the edited site itself does not count. */
export function duplicatesOf(form: SiteForm, sites: readonly Site[], ownId: number | null): readonly Duplicate[] {
  const others = sites.filter((site) => site.id !== ownId);
  const key = siteNameKey(form.name);
  const place = placeOf(form);
  const found: Duplicate[] = [];
  if (key !== "" && others.some((site) => siteNameKey(site.name) === key)) found.push("name");
  if (place !== null && others.some((site) => isSamePlace(place, site))) found.push("place");
  return found;
}

/** How two people's edits of a site are put together. */
export const siteEdits: EditedFields<SiteForm, SiteField> = {
  units: [
    ["name"],
    ["address"],
    ["district"],
    ["state"],
    ["pinCode"],
    ["commissioningDate"],
    ["lat", "lng"],
    // Who maintains it is one fact: the number of one person beside the name of another is nobody's.
    ["maintenancePartnerId", "maintenanceContact", "maintenancePhone", "maintenanceEmail"],
  ],
  isSame: (one, other, field) => storedText(one, field) === storedText(other, field),
  companions: { maintenancePartnerId: "maintenancePartner" },
  labelOf: (field) => siteFieldLabel[field],
  textOf: shownText,
};

/** A field as it would be stored, for comparing: `27.50` and `27.5` are the same. */
function storedText(form: SiteForm, field: SiteField): string {
  const text = String(form[field] ?? "").trim();
  if (field === "lat" || field === "lng") {
    const degrees = degreesInputSchema("", field === "lat" ? 90 : 180).safeParse(text).data;
    return degrees === undefined ? text : String(degrees);
  }
  const isTyped = field === "maintenanceContact" || field === "maintenancePhone" || field === "maintenanceEmail";
  return isTyped && form.maintenancePartnerId !== null ? "" : text;
}

function shownText(form: SiteForm, field: SiteField): string {
  if (field === "maintenancePartnerId") return form.maintenancePartner;
  return storedText(form, field) === "" ? "" : form[field].trim();
}
