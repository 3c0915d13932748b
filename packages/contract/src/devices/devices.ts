import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema, serialSchema } from "../http/values.ts";

/** As many devices can be provisioned, or allocated, at once. */
export const DEVICES_AT_ONCE = 1_000;

/** A provisioned device: the machine that signs in to the broker with this serial number. */
export const deviceSchema = z.object({
  serial: z.string(),
  created_at: instantSchema,
  /** When its secret was last made. */
  secret_at: instantSchema,
  /** Cut off since; null while it may sign in. */
  retired_at: instantSchema.nullable(),
  /** The broker has not been told yet of the last change; it is told again until it has. */
  broker_pending: z.boolean(),
  /**
   * A new secret is being made, or that did not come to an end: the broker may have one that nobody was told, until the
   * device is given another.
   */
  secret_unsure: z.boolean(),
  /** The one that may give it to a robot; In-house has those of the operator. */
  partner: z.object({ id: idSchema, name: z.string() }),
  /** The robot that has it; null where it is free. */
  robot: z
    .object({
      id: idSchema,
      name: z.string(),
      site_id: idSchema,
      site_name: z.string(),
      online: z.boolean(),
    })
    .nullable(),
});
export type Device = z.output<typeof deviceSchema>;

/** Told once: only a hash is kept. */
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
  summary: "Provision a device, or a range counted up in the last digits, and get the secrets once",
  method: "POST",
  path: "/api/devices",
  body: z.object({
    first_serial: serialSchema,
    /** The end of a range such as SCR-1021 to SCR-1040; only the first where it is left out. */
    last_serial: serialSchema.optional(),
    /** The partner that they are allocated to; the operator keeps them where it is left out. */
    partner_id: idInputSchema.optional(),
  }),
  status: 201,
  response: z.object({ message: z.string(), devices: z.array(deviceSecretSchema) }),
});

export const rotateDeviceSecret = defineRoute({
  summary: "Give a device a new secret, told once; the old one ends at once",
  method: "PUT",
  path: "/api/devices/secret/:serial",
  params: deviceParams,
  response: z.object({ message: z.string(), serial: z.string(), secret: z.string() }),
});

export const allocateDevices = defineRoute({
  summary: "Allocate free devices to a partner, which alone can give them to robots; In-house takes them back",
  method: "PUT",
  path: "/api/devices/partner",
  body: z.object({
    serials: z.array(serialSchema).min(1, "Choose a device").max(DEVICES_AT_ONCE),
    partner_id: idInputSchema,
  }),
  response: z.object({ message: z.string() }),
});

export const retireDevice = defineRoute({
  summary: "Cut a device off for good; Suncrew ignores and never commands it",
  method: "DELETE",
  path: "/api/devices/:serial",
  params: deviceParams,
  response: z.object({ message: z.string() }),
});
