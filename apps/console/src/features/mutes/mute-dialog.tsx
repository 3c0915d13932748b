import { Radio, Stack, Text, Textarea } from "@mantine/core";
import { MUTE_REASON_MAX } from "@suncrew/contract/notifications/mutes.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { instantOf, siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { type SyntheticEvent, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { useBusy } from "../../ui/use-busy.ts";
import { useNow } from "../../ui/use-now.ts";
import { mute, type MuteTarget } from "./mutes.ts";

const HOUR_MS = 3_600_000;

/** How long a mute may last; a morning is the site's. */
const choices = {
  hour: { label: "1 hour", end: (now: Date) => new Date(now.getTime() + HOUR_MS) },
  morning: {
    label: "Until tomorrow morning",
    end: (now: Date, timezone: string) => instantOf(addDays(siteToday(timezone, now), 1), "06:00:00", timezone),
  },
  day: { label: "1 day", end: (now: Date) => new Date(now.getTime() + 24 * HOUR_MS) },
  week: { label: "1 week", end: (now: Date) => new Date(now.getTime() + 7 * 24 * HOUR_MS) },
  month: { label: "30 days", end: (now: Date) => new Date(now.getTime() + 30 * 24 * HOUR_MS) },
} as const;
type Choice = keyof typeof choices;

const isChoice = (value: string): value is Choice => Object.hasOwn(choices, value);

/** Until when, and why, nobody is to be sent messages about a robot or a site. */
export function MuteDialog({ target, onClose }: { readonly target: MuteTarget; readonly onClose: () => void }) {
  const [choice, setChoice] = useState<Choice>("hour");
  const [reason, setReason] = useState("");
  const [isRefused, setRefused] = useState(false);
  const [isBusy, run] = useBusy();
  const now = useNow();
  const typed = reason.trim();
  const close = useGuardedClose({ isChanged: typed !== "", isSaving: isBusy, shownBy: ["site", "tab"] }, onClose);
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (typed === "") return setRefused(true);
    const until = choices[choice].end(new Date(), target.timezone);
    const isMuted = await run(() => mute(target, until, typed));
    if (isMuted === true) onClose();
  };
  return (
    <Dialog onClose={close} title={`Mute: ${target.name}`}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Stack gap="sm">
          <Text size="sm">
            Its alerts are still shown here, and nobody is sent messages about them. What is still open at the end is
            told then.
          </Text>
          <Radio.Group
            label="How long"
            value={choice}
            onChange={(value) => {
              if (isChoice(value)) setChoice(value);
            }}
          >
            <Stack gap={6} mt={6}>
              {Object.entries(choices).map(([value, { label, end }]) => (
                <Radio
                  key={value}
                  value={value}
                  label={label}
                  description={siteTimeText(end(now, target.timezone), target.timezone, now)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            label="Reason"
            name="reason"
            required
            withAsterisk
            autosize
            minRows={2}
            maxLength={MUTE_REASON_MAX}
            value={reason}
            error={isRefused && typed === "" ? "Reason is required" : null}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </Stack>
        <FormButtons submitLabel="Mute" isSaving={isBusy} blockedReason={null} onCancel={close} />
      </form>
    </Dialog>
  );
}
