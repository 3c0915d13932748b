import { Box, Button, FileButton, Group, Stack } from "@mantine/core";
import {
  deleteReportLogo,
  LOGO_MAX_BYTES,
  LOGO_MAX_PIXELS,
  reportSettings,
  updateReportLogo,
} from "@suncrew/contract/report-templates/report-templates.ts";
import { IconFileUpload } from "@tabler/icons-react";
import { useState } from "react";
import { call } from "../../platform/api/call.ts";
import { change, refusalIn } from "../../platform/api/change.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { upload } from "../../platform/api/upload.ts";
import { Notice } from "../../ui/notice.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import type { ReportSettings } from "./report-drafts.ts";
import classes from "./report-management.module.css";

/** The logo on the first page of every site report, with what it looks like there. */
export function LogoCard({ logo }: { readonly logo: ReportSettings["logo"] }) {
  const [busy, run] = useBusy();
  const [refused, setRefused] = useState<string | null>(null);
  const store = async (file: File) => {
    setRefused(file.size > LOGO_MAX_BYTES ? `${file.name} is too large: a logo has ${SIZE} at most.` : null);
    if (file.size > LOGO_MAX_BYTES) return;
    setRefused((await run(() => storeLogo(file))) ?? null);
  };
  const remove = async () => {
    setRefused(null);
    await run(removeLogo);
  };
  return (
    <section className={`${shared["card"]} ${classes["settings"]}`} aria-labelledby="report-logo">
      <Stack gap={8}>
        <Box component="h2" id="report-logo" fz={15} fw={600}>
          Logo of the reports
        </Box>
        <p className={shared["muted"]}>
          On the first page of every site report, on white. A PNG or JPEG of {SIZE} and{" "}
          {LOGO_MAX_PIXELS.toLocaleString("en-GB")} pixels at most, such as 900 by 300.
        </p>
        {logo === null ? (
          <p className={shared["muted"]}>There is no logo: reports have Suncrew's name alone.</p>
        ) : (
          <figure className={classes["logo"]}>
            <img src={`data:${logo.media_type};base64,${logo.base64}`} alt="The logo of the reports" />
            <figcaption className={shared["muted"]}>
              {logo.width} by {logo.height} pixels
            </figcaption>
          </figure>
        )}
        {refused !== null && <Notice>{refused}</Notice>}
        <Group gap={8}>
          <FileButton
            accept="image/png,image/jpeg"
            disabled={busy}
            onChange={(file) => void (file !== null && store(file))}
          >
            {(button) => (
              <Button
                {...button}
                variant="default"
                size="xs"
                loading={busy}
                leftSection={<IconFileUpload size={16} aria-hidden />}
              >
                {logo === null ? "Choose a logo" : "Choose another logo"}
              </Button>
            )}
          </FileButton>
          {logo !== null && (
            <Button variant="default" size="xs" disabled={busy} onClick={() => void remove()}>
              Remove the logo
            </Button>
          )}
        </Group>
      </Stack>
    </section>
  );
}

const SIZE = `${LOGO_MAX_BYTES / 1_000} kB`;
const invalidates = [queryKeyOf(reportSettings)];

/** Returns why it was refused, or null once it is stored. */
async function storeLogo(file: File): Promise<string | null> {
  const options = { signal: new AbortController().signal, onPercent: () => undefined };
  const outcome = await change({
    send: () => upload(updateReportLogo, undefined, file, options),
    invalidates,
    success: { title: "Logo Updated", message: "The next reports have it on their first page." },
    failure: null,
  });
  return refusalIn(outcome, "Failed to store the logo. Please try again.")?.reason ?? null;
}

async function removeLogo(): Promise<void> {
  await change({
    send: () => call(deleteReportLogo, {}),
    invalidates,
    success: { title: "Logo Removed", message: "The next reports have none." },
    failure: { title: "Update Failed", message: "Failed to remove the logo. Please try again." },
  });
}
