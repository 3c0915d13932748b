export { type CommandTarget, confirmedIn, newPress, reasonOf, type StartOrStop } from "./robot-command.ts";
export { waitingLook, wordsOfOpenCommand } from "./command-meaning.ts";
export { RobotResultList, useResultsNow } from "./robot-result-list.tsx";
export { sendRobotCommand } from "./send-robot-command.ts";
export type { CommandOutcome } from "./send-robot-command.ts";
