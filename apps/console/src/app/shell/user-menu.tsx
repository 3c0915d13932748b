import { Menu, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconKeyboard, IconLogout, IconSettings } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { signOut } from "../../features/auth/public.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./user-menu.module.css";

const ProfileSettingsDialog = lazyDialog(
  () => "Profile Settings",
  async () => (await import("../../features/profile/public.ts")).ProfileSettingsDialog,
);

/** §2: the user's name with Profile Settings and Logout; between them the keyboard shortcuts. */
export function UserMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { user } = useSignedIn();
  const target = useRef<HTMLButtonElement>(null);
  const [profileOpen, setProfileOpen] = useState(false);

  function closeProfile(): void {
    setProfileOpen(false);
    target.current?.focus();
  }

  return (
    <>
      <Menu position="bottom-end" width={200} withinPortal={false}>
        <Menu.Target>
          <UnstyledButton ref={target} className={classes["target"]}>
            <span className={classes["initials"]} aria-hidden>
              {initialsOf(user.name)}
            </span>
            <span className={`${shared["truncate"]} ${classes["name"]}`}>{user.name}</span>
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconSettings size={16} aria-hidden />} onClick={() => setProfileOpen(true)}>
            Profile Settings
          </Menu.Item>
          <Menu.Item
            leftSection={<IconKeyboard size={16} aria-hidden />}
            onClick={() => {
              // Where the dialog returns the focus to.
              target.current?.focus();
              onShortcuts();
            }}
          >
            Keyboard shortcuts
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
            Logout
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {profileOpen && <ProfileSettingsDialog onClose={closeProfile} />}
    </>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  return [words.at(0), words.length > 1 ? words.at(-1) : undefined].map((word) => word?.[0] ?? "").join("");
}
