import { measuredComparison, takeCorrectionBack } from "@suncrew/contract/measurements/measured-against-model.ts";
import {
  type AppliedCorrection,
  energyAtRisk,
  type SiteSoiling,
  siteSoiling,
} from "@suncrew/contract/soiling/soiling.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { correctedFactText } from "@suncrew/domain/sites/site-energy-facts.ts";
import { Box, Group } from "@mantine/core";
import { IconArrowBackUp, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../platform/api/call.ts";
import { change, invalidate } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { shortDayText, todayIn } from "../../ui/days.ts";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { SiteDialog } from "../sites/public.ts";
import shared from "../../ui/shared.module.css";

/** What the model says anew when a fact of the site is another. */
const modelledAnswers = [siteSoiling, energyAtRisk, measuredComparison].map((route) => queryKeyOf(route));
/** After a correction: the site itself, too. */
export const correctedAnswers = [...modelledAnswers, queryKeyOf(siteDetails)];

/** Whoever sees a site may edit it. */
export function EnterFacts({ site }: { readonly site: Site }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <ToolButton icon={IconPencil} aria-haspopup="dialog" onClick={() => setEditing(true)}>
        Enter them
      </ToolButton>
      {isEditing && <EditSite site={site} onClose={() => setEditing(false)} />}
    </>
  );
}

function EditSite({ site, onClose }: { readonly site: Site; readonly onClose: () => void }) {
  const { data: sites = [] } = useQuery(routeQuery(siteDetails, {}));
  const onSaved = () => {
    onClose();
    void invalidate(modelledAnswers);
  };
  return <SiteDialog site={site} sites={sites} onSaved={onSaved} onClose={onClose} />;
}

interface CorrectionsProps {
  readonly site: Site;
  readonly soiling: SiteSoiling;
}

/** That the model is not as published and entered: by whom, since when, and the way back. */
export function Corrections({ site, soiling: { corrections, soiling_rate_factor: factor } }: CorrectionsProps) {
  const isEntered = factor !== 1 && !corrections.some(({ fact }) => fact === "soiling_rate_factor");
  if (corrections.length === 0 && !isEntered) return null;
  return (
    <Box className={shared["card"]} role="group" aria-label="The model is corrected" p={12} fz={13} lh="18px">
      <h3 className={shared["title"]}>The model is corrected</h3>
      <ul>
        {corrections.map((correction) => (
          <Correction key={correction.fact} site={site} correction={correction} />
        ))}
        {isEntered && (
          <li>
            <strong>{sentence(correctedFactText("soiling_rate_factor", factor))}</strong>, as entered in the form of the
            site.
          </li>
        )}
      </ul>
    </Box>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function Correction({ site, correction }: { readonly site: Site; readonly correction: AppliedCorrection }) {
  const [isBusy, run] = useBusy();
  const { fact, from, to, by, at } = correction;
  const takeBack = async () => {
    await change({
      send: () => call(takeCorrectionBack, { params: { siteId: site.id }, query: { fact } }),
      invalidates: correctedAnswers,
      success: ({ message }) => ({ title: "Correction Taken Back", message }),
      failure: { title: "Correction Not Taken Back", message: "Nothing was changed." },
    });
  };
  const day = shortDayText(todayIn(site.timezone, new Date(at)));
  return (
    <Group component="li" justify="space-between" gap={8} mt={6} className={shared["touchAll"]}>
      <span>
        <strong>{sentence(correctedFactText(fact, to))}</strong>
        {` instead of ${correctedFactText(fact, from ?? 1)}, by ${by} on ${day}.`}
      </span>
      <ToolButton
        icon={IconArrowBackUp}
        loading={isBusy}
        aria-label={`Take back ${correctedFactText(fact, to)}`}
        onClick={() => void run(takeBack)}
      >
        Take back
      </ToolButton>
    </Group>
  );
}
