import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { roleWord } from "../auth/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./profile-settings-dialog.module.css";
import { Facts } from "../../ui/facts.tsx";
import { ThemePicker } from "./theme-picker.tsx";
import { Dialog } from "../../ui/dialog.tsx";

/** §2 Profile Settings: who is signed in, read-only, and the theme. */
export function ProfileSettingsDialog({ onClose }: { onClose: () => void }) {
  const { user, role } = useSignedIn();
  return (
    <Dialog onClose={onClose} title="Profile Settings">
      <Facts
        className={`${shared["box"]} ${classes["facts"]}`}
        facts={{ Name: user.name, Email: user.email, Role: roleWord[role] }}
      />
      <ThemePicker />
      <Anchor component={Link} to={paths.profile()} size="sm" display="inline-block" mt={16} onClick={onClose}>
        Open profile to change your password
      </Anchor>
    </Dialog>
  );
}
