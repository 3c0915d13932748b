import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema, serialSchema } from "../http/values.ts";

/** The largest number of devices that can be provisioned or allocated in one call. */
export const DEVICES_AT_ONCE = 1_000;

/** A provisioned device: the hardware that authenticates to the broker with this serial number. */
export const deviceSchema = z.object({
  serial: z.string(),
  created_at: instantSchema,
  /** When its secret was last issued. */
  secret_at: instantSchema,
  /** Locked out since then; null while it may connect. */
  retired_at: instantSchema.nullable(),
  /** The last change has not reached the broker yet; it is retried until it does. */
  broker_pending: z.boolean(),
  /**
   * A secret rotation is in progress or was interrupted: the broker may hold a secret that nobody received, until another
   * one is issued.
   */
  secret_unsure: z.boolean(),
  /** The partner that may assign it to a robot; the operator's own devices belong to In-house. */
  partner: z.object({ id: idSchema, name: z.string() }),
  /** The robot it is assigned to; null when free. */
  robot: z
    .object({
      id: idSchema,
      name: z.string(),
      site_id: idSchema,
      site_name: z.string(),
      online: z.boolean(),
    })
    .nullable(),
  /** The site whose weather sensor it is; null if it is none's. Servers of older versions omit it. */
  sensor_of: z.object({ site_id: idSchema, site_name: z.string() }).nullable().default(null),
});
export type Device = z.output<typeof deviceSchema>;

/** Shown once: only a hash is stored. */
export const deviceSecretSchema = z.object({ serial: z.string(), secret: z.string() });
export type DeviceSecret = z.output<typeof deviceSecretSchema>;

const deviceParams = z.object({ serial: serialSchema });

export const deviceList = defineRoute({
  summary: "Every provisioned device, free, assigned or retired",
  method: "GET",
  path: "/api/devices",
  response: z.array(deviceSchema),
});

export const provisionDevices = defineRoute({
  summary: "Provision a device, or a range numbered by its last digits; the secrets are shown only once",
  method: "POST",
  path: "/api/devices",
  body: z.object({
    first_serial: serialSchema,
    /** The end of a range such as SCR-1021 to SCR-1040; without it only the first is provisioned. */
    last_serial: serialSchema.optional(),
    /** The partner they are allocated to; default: the operator. */
    partner_id: idInputSchema.optional(),
  }),
  status: 201,
  response: z.object({ message: z.string(), devices: z.array(deviceSecretSchema) }),
});

export const rotateDeviceSecret = defineRoute({
  summary: "Issue a new secret for a device, shown only once; the old one stops working immediately",
  method: "PUT",
  path: "/api/devices/secret/:serial",
  params: deviceParams,
  response: z.object({ message: z.string(), serial: z.string(), secret: z.string() }),
});

export const allocateDevices = defineRoute({
  summary: "Allocate free devices to a partner, who alone can then assign them to robots; In-house takes them back",
  method: "PUT",
  path: "/api/devices/partner",
  body: z.object({
    serials: z.array(serialSchema).min(1, "Choose a device").max(DEVICES_AT_ONCE),
    partner_id: idInputSchema,
  }),
  response: z.object({ message: z.string() }),
});

export const retireDevice = defineRoute({
  summary: "Lock a device out permanently; Suncrew ignores it and never commands it again",
  method: "DELETE",
  path: "/api/devices/:serial",
  params: deviceParams,
  response: z.object({ message: z.string() }),
});
