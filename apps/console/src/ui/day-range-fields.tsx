import { DayField } from "./day-field.tsx";
import { endsBeforeItBegins } from "./days.ts";

/** First and last day, `YYYY-MM-DD`; null does not filter. */
export interface DayRange {
  readonly from: string | null;
  readonly to: string | null;
}

interface DayRangeFieldsProps {
  readonly days: DayRange;
  readonly onChange: (change: Partial<DayRange>) => void;
}

/** From and To of a list's filters, two fields. */
export function DayRangeFields({ days, onChange }: DayRangeFieldsProps) {
  return (
    <>
      <DayField size="xs" label="From" day={days.from ?? ""} onChange={(day) => onChange({ from: day || null })} />
      <DayField
        size="xs"
        label="To"
        day={days.to ?? ""}
        error={endsBeforeItBegins(days) ? "Before the first day" : undefined}
        onChange={(day) => onChange({ to: day || null })}
      />
    </>
  );
}
