export { LastCleaningLine, LastRunFact, RunNotBegunLine } from "./last-cleaning.tsx";
export { CardNights } from "./card-nights-part.tsx";
export { nightLook } from "./night-looks.ts";
export { todayWord } from "./runs-looks.ts";
export { TodayFigures } from "./today-figures.tsx";
export { WeekCalendarTab } from "./week-calendar-tab.tsx";
export type { WeekCalendarTabProps } from "./week-calendar-tab.tsx";
export { elapsedText, runLook, startedByText, todayTexts } from "./runs-looks.ts";
