/** The columns of a file of sites, in the order of its export; an import takes them in any order. */
export const SITE_COLUMNS = [
  "name",
  "address",
  "district",
  "state",
  "pin_code",
  "latitude",
  "longitude",
  "commissioning_date",
  /** The partner's name; empty where contact, phone and e-mail stand in the next three. */
  "maintenance_partner",
  "maintenance_contact_name",
  "maintenance_contact",
  "maintenance_email",
] as const;

/** The columns of a file of robots. */
export const ROBOT_COLUMNS = [
  /** The site's name. */
  "site",
  "serial_number",
  "robot_name",
  "motor_type",
  "control_type",
  "installation_date",
] as const;
