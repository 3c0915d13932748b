import { IconFlask, IconPlugConnectedX } from "@tabler/icons-react";
import { useLiveStatus } from "../../platform/live/live.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import classes from "./banners.module.css";

/** What concerns every page: that this is a demo, that live updates are interrupted. */
export function Banners() {
  const demo = useServerConfig()?.mode === "demo";
  const lost = useLiveStatus() === "lost";
  return (
    <>
      {demo && (
        <p className={classes["demo"]}>
          <IconFlask size={14} aria-hidden />
          Demo: simulated robots and sample data
        </p>
      )}
      {/* Always there, so that a screen reader hears what appears in it. */}
      <div role="status">
        {lost && (
          <p className={classes["lost"]}>
            <IconPlugConnectedX size={16} aria-hidden />
            Live updates are interrupted. Reconnecting...
          </p>
        )}
      </div>
    </>
  );
}
