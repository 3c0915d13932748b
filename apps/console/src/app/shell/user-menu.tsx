import { Menu, UnstyledButton } from "@mantine/core";
import { IconBroadcast, IconChevronDown, IconKeyboard, IconLogout, IconSettings } from "@tabler/icons-react";
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

const WallboardLinksDialog = lazyDialog(
  () => "Wallboard Links",
  async () => (await import("../../features/wallboard/public.ts")).WallboardLinksDialog,
);

/** §2: the user's name with Profile Settings and Logout; between them the keyboard shortcuts. */
export function UserMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { user } = useSignedIn();
  const target = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<"profile" | "wallboards" | null>(null);

  function close(): void {
    setOpen(null);
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
          <Menu.Item leftSection={<IconSettings size={16} aria-hidden />} onClick={() => setOpen("profile")}>
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
          <Menu.Item leftSection={<IconBroadcast size={16} aria-hidden />} onClick={() => setOpen("wallboards")}>
            Wallboard links
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
            Logout
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === "profile" && <ProfileSettingsDialog onClose={close} />}
      {open === "wallboards" && <WallboardLinksDialog onClose={close} />}
    </>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  return [words.at(0), words.length > 1 ? words.at(-1) : undefined].map((word) => word?.[0] ?? "").join("");
}
