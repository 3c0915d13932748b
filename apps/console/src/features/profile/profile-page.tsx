import type { ReactNode } from "react";
import { PageLayout } from "../../ui/page-layout.tsx";
import { AccountSettings } from "./account-settings.tsx";
import { ChangePasswordForm } from "./change-password-form.tsx";
import classes from "./profile-page.module.css";
import { ThemePicker } from "./theme-picker.tsx";
import { UserInformation } from "./user-information.tsx";

/** §2 Profile page: who is signed in, the theme, the own password, and what is still to come. */
export function ProfilePage() {
  return (
    <PageLayout title="Profile">
      <div className={classes["columns"]}>
        <div className={classes["column"]}>
          <Card title="User Information">
            <UserInformation />
          </Card>
          <Card title="Security">
            <ChangePasswordForm />
          </Card>
        </div>
        <div className={classes["column"]}>
          <Card title="Appearance">
            <ThemePicker />
          </Card>
          <Card title="Account Settings">
            <AccountSettings />
          </Card>
        </div>
      </div>
    </PageLayout>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes["card"]} aria-label={title}>
      <h2 className={classes["title"]}>{title}</h2>
      {children}
    </section>
  );
}
