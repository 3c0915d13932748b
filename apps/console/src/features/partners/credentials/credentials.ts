import type { Partner } from "@suncrew/contract/partners/partners.ts";

/** A partner that was just created, with its user's credentials. */
export interface NewPartner {
  readonly id: number;
  readonly name: string;
  readonly contact_person: string;
  readonly email: string;
  readonly contact_info: string;
  readonly country: string;
  readonly username: string;
  readonly password: string;
}

/** A partner's credentials and the contact they are sent to. */
export interface SignIn {
  readonly partnerId: number;
  readonly name: string;
  readonly contactPerson: string;
  readonly email: string;
  readonly phone: string;
  readonly country: string;
  /** Null if the partner has no user yet: its first generated password creates one. */
  readonly username: string | null;
  /** Null if there is no user, or it has set its own password, which no one can see. */
  readonly password: string | null;
}

/** From the list of partners; until that contains the new partner, from the answer to its creation. */
export function signInOf(partner: Partner | undefined, created: NewPartner | null): SignIn | null {
  if (partner !== undefined) {
    return {
      partnerId: partner.id,
      name: partner.name,
      contactPerson: partner.contact_person ?? "",
      email: partner.email ?? "",
      phone: partner.contact_info ?? "",
      country: partner.country ?? "INDIA",
      username: partner.username,
      password: partner.enc_password ?? null,
    };
  }
  if (created === null) return null;
  const { id, name, contact_person, email, contact_info, country, username, password } = created;
  return {
    partnerId: id,
    name,
    contactPerson: contact_person,
    email,
    phone: contact_info,
    country,
    username,
    password,
  };
}

/** Why a partner has no credentials to share; null if it has. */
export function shareBlockedReason(partner: Pick<Partner, "built_in">): string | null {
  return partner.built_in ? "In-house is built in: nobody signs in as it." : null;
}
