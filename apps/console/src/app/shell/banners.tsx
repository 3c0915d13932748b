import { IconFlask, IconKey, IconPlugConnectedX } from "@tabler/icons-react";
import { useLiveStatus } from "../../platform/live/live.ts";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import classes from "./banners.module.css";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** What concerns every page: that this is a demo, an own password is due, that live updates are interrupted. */
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
      <GeneratedPassword />
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

/** Stays until the person has chosen a password: the one that the server generated lapses. */
function GeneratedPassword() {
  const { password_until: until } = useSignedIn().user;
  if (until === undefined) return null;
  return (
    <p className={classes["password"]}>
      <IconKey size={16} aria-hidden />
      <span>
        Your password was generated and signs you in until {day.format(new Date(until))}.{" "}
        <Link to={paths.profile()}>Choose your own</Link>
      </span>
    </p>
  );
}
