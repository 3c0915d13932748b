/** How a robot of the demo is when its simulation begins; all but `away` can be changed at the control address. */
export interface DemoRobot {
  readonly serial: string;
  /** Index into the demo's parks. */
  readonly park: number;
  readonly name: string;
  readonly motorType: string;
  readonly controlType: string;
  readonly installed: string;
  readonly firmware: string;
  readonly battery: number;
  readonly mode: "AUTO" | "MANUAL";
  /** As the simulator writes faults; the robot is well where it is missing. */
  readonly fault?: "away" | "low-battery:12" | "jam" | "warning:Brush worn";
}

const BLDC = "BLDC";
const GEARED = "DC Geared";
const STEPPER = "Stepper";

// One line each is a table to read.
// oxfmt-ignore
export const demoRobots: readonly DemoRobot[] = [
  { serial: "SCR-1001", park: 0, name: "Bhadla Row 01", motorType: BLDC, controlType: "PLC", installed: "2023-11-06", firmware: "2.4.1", battery: 92, mode: "AUTO" },
  { serial: "SCR-1002", park: 0, name: "Bhadla Row 02", motorType: BLDC, controlType: "PLC", installed: "2023-11-06", firmware: "2.4.1", battery: 78, mode: "AUTO" },
  { serial: "SCR-1003", park: 0, name: "Bhadla Row 03", motorType: GEARED, controlType: "Microcontroller", installed: "2024-02-19", firmware: "2.3.0", battery: 61, mode: "AUTO" },
  { serial: "SCR-1004", park: 0, name: "Bhadla Row 04", motorType: GEARED, controlType: "Microcontroller", installed: "2024-02-19", firmware: "2.3.0", battery: 12, mode: "AUTO", fault: "low-battery:12" },
  { serial: "SCR-1005", park: 1, name: "Pavagada Block A", motorType: BLDC, controlType: "PLC", installed: "2024-04-08", firmware: "2.4.1", battery: 88, mode: "AUTO" },
  { serial: "SCR-1006", park: 1, name: "Pavagada Block B", motorType: STEPPER, controlType: "Microcontroller", installed: "2024-04-08", firmware: "2.4.0", battery: 54, mode: "MANUAL" },
  { serial: "SCR-1007", park: 1, name: "Pavagada Block C", motorType: BLDC, controlType: "PLC", installed: "2024-06-17", firmware: "2.4.1", battery: 70, mode: "AUTO", fault: "away" },
  { serial: "SCR-1008", park: 2, name: "Kurnool East 1", motorType: GEARED, controlType: "PLC", installed: "2023-08-21", firmware: "2.2.5", battery: 66, mode: "AUTO", fault: "jam" },
  { serial: "SCR-1009", park: 2, name: "Kurnool East 2", motorType: GEARED, controlType: "PLC", installed: "2023-08-21", firmware: "2.4.1", battery: 97, mode: "AUTO" },
  { serial: "SCR-1010", park: 3, name: "Rewa Unit 1", motorType: BLDC, controlType: "Microcontroller", installed: "2024-09-30", firmware: "2.4.1", battery: 83, mode: "AUTO" },
  { serial: "SCR-1011", park: 3, name: "Rewa Unit 2", motorType: STEPPER, controlType: "Microcontroller", installed: "2024-09-30", firmware: "2.4.0", battery: 47, mode: "MANUAL" },
  { serial: "SCR-1012", park: 4, name: "Kamuthi Zone 1", motorType: BLDC, controlType: "PLC", installed: "2023-05-15", firmware: "2.3.0", battery: 74, mode: "AUTO" },
  { serial: "SCR-1014", park: 4, name: "Kamuthi Zone 2", motorType: GEARED, controlType: "PLC", installed: "2023-05-15", firmware: "2.3.0", battery: 39, mode: "AUTO" },
  { serial: "SCR-1016", park: 5, name: "Charanka Plot 7", motorType: STEPPER, controlType: "PLC", installed: "2022-12-12", firmware: "2.4.1", battery: 90, mode: "AUTO" },
];

/** The devices that every installation's demo knows: SCR-1001 to SCR-1020. */
export const demoSerials: readonly string[] = Array.from({ length: 20 }, (_, index) => `SCR-${1001 + index}`);

/** Those of them that no robot has and that are allocated to the partner of the sign-in; the others are the operator's. */
export const demoSerialsOfPartner: readonly string[] = ["SCR-1013", "SCR-1015", "SCR-1017"];
