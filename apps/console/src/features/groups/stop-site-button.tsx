import { Button } from "@mantine/core";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconHandStop } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { stopSite } from "./stop-site.ts";
import type { SiteStopped } from "./stop-site.ts";
import { StopSiteDialog } from "./stop-site-dialog.tsx";

export interface StopSiteButtonProps {
  readonly site: Site;
  readonly rows: readonly RobotWithSettings[];
}

/**
 * Stop all robots of a site: one press, no question, never disabled. What comes of each robot is shown while it comes;
 * a press while robots are still awaited sends the Stop again. A Stop needs no file that is not there already.
 */
export function StopSiteButton({ site, rows }: StopSiteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [stopped, setStopped] = useState<SiteStopped | null>(null);
  const press = useRef<object>(null);

  const stop = async () => {
    const mine = {};
    press.current = mine;
    setStopped(null);
    setOpen(true);
    const outcome = await stopSite(site.id);
    if (press.current !== mine) return;
    if (outcome === null) setOpen(false);
    else setStopped(outcome);
  };

  return (
    <>
      <Button
        color="red"
        variant="filled"
        size="xs"
        leftSection={<IconHandStop size={16} aria-hidden />}
        onClick={() => void stop()}
      >
        Stop all robots
      </Button>
      {isOpen && (
        <StopSiteDialog
          site={site}
          rows={rows}
          stopped={stopped}
          onAgain={() => void stop()}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
