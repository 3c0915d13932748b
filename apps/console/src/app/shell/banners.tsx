import { may } from "@suncrew/domain/auth/abilities.ts";
import { IconFlask, IconKey, IconPlugConnectedX } from "@tabler/icons-react";
import { Link } from "react-router";
import { useLiveStatus } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { useIsDemo } from "../../platform/server-config.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import classes from "./shell.module.css";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** Notices on every page: that this is a demo, that a password must be chosen, that live updates are interrupted. */
export function Banners() {
  const demo = useIsDemo() === true;
  const mayReadMessages = may(useSignedIn().role, "viewDemoMessages");
  const lost = useLiveStatus() === "lost";
  return (
    <>
      {demo && (
        <p className={classes["banner"]} data-calm>
          <IconFlask size={14} aria-hidden />
          <span>
            Demo: simulated robots and sample data
            {mayReadMessages && (
              <>
                . <Link to={paths.demoMessages()}>Messages</Link>
              </>
            )}
          </span>
        </p>
      )}
      <GeneratedPassword />
      {/* Always present, so that a screen reader announces what appears in it. */}
      <div role="status">
        {lost && (
          <p className={classes["banner"]} style={{ fontWeight: 600 }}>
            <IconPlugConnectedX size={16} aria-hidden />
            Live updates are interrupted. Reconnecting...
          </p>
        )}
      </div>
    </>
  );
}

/** Stays until the person has chosen a password: the generated one expires. */
function GeneratedPassword() {
  const { password_until: until } = useSignedIn().user;
  if (until === undefined) return null;
  return (
    <p className={classes["banner"]}>
      <IconKey size={16} aria-hidden />
      <span>
        Your password was generated and signs you in until {day.format(new Date(until))}.{" "}
        <Link to={paths.profile()}>Choose your own</Link>
      </span>
    </p>
  );
}
