import type {
  AckMessage,
  ConnectionMessage,
  EventMessage,
  FirmwareStateMessage,
  StateMessage,
} from "@suncrew/contract/devices/messages.ts";

/** A message that the robot wants published on one of its own leaves. */
export type Outgoing =
  | { readonly leaf: "connection"; readonly message: ConnectionMessage }
  | { readonly leaf: "state"; readonly message: StateMessage }
  | { readonly leaf: "ack"; readonly message: AckMessage }
  | { readonly leaf: "event"; readonly message: EventMessage }
  | { readonly leaf: "firmware/state"; readonly message: FirmwareStateMessage };
