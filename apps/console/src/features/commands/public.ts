export { reasonOf } from "./command-call.ts";
export type { CommandTarget, StartOrStop } from "./command-call.ts";
export { waitingLook, wordsOfOpenCommand } from "./command-meaning.ts";
export { newPress } from "./press.ts";
export { RobotResultList, useResultsNow } from "./robot-result-list.tsx";
export { confirmedIn } from "./robot-result-now.ts";
export { sendRobotCommand } from "./send-robot-command.ts";
export type { CommandOutcome } from "./send-robot-command.ts";
