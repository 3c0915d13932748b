import type { Device } from "@suncrew/contract/devices/devices.ts";
import type { Question } from "../../platform/confirm/confirm.ts";

const whose = ({ robot }: Device) => (robot === null ? null : `robot ${robot.name} at ${robot.site_name}`);

/** What happens when a device gets a new secret. */
export function rotateQuestion(device: Device, isDemo: boolean): Question {
  const robot = whose(device);
  const who =
    robot === null
      ? `Device ${device.serial} is free: no robot has it.`
      : `Device ${device.serial} is that of ${robot}, which stays away until the new secret is entered in it.`;
  const demo =
    isDemo && robot !== null ? " In this demo the simulated robot keeps the old secret, so it stays away." : "";
  const unsure = device.secret_unsure
    ? " Its last new secret was not told to anybody, and the broker may have it already."
    : "";
  return {
    title: "Rotate Secret",
    message: `${who}${unsure} The old secret ends at once, and with it the device's connection.${demo}`,
    confirmLabel: "Rotate Secret",
    destructive: robot !== null,
  };
}

/** What happens when a device is retired. */
export function retireQuestion(device: Device): Question {
  const robot = whose(device);
  const who =
    robot === null
      ? `Device ${device.serial} is free: no robot has it.`
      : `Device ${device.serial} is that of ${robot}. The robot is stopped, shows offline and takes no command until it is given another serial number.`;
  return {
    title: "Retire Device",
    message: `${who} The device is cut off at once and for good, and its serial number is never free again.`,
    confirmLabel: "Retire Device",
    destructive: true,
  };
}
