import { useDocumentTitle } from "@mantine/hooks";
import { BrandMark } from "../../ui/brand-mark.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SignInScene } from "./sign-in-scene.tsx";
import classes from "./sign-in-page.module.css";

/** §2 Sign-in page. `onSignedIn` navigates on, and resolves once it has. */
export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) {
  useDocumentTitle("Sign in - Suncrew");
  return (
    <div className={classes["page"]}>
      <div className={classes["scene"]}>
        <SignInScene />
      </div>
      <main className={classes["panel"]}>
        <div className={classes["column"]}>
          <div className={classes["brand"]}>
            <BrandMark sizePx={40} />
            <div>
              <h1 className={classes["name"]}>Suncrew</h1>
              <p className={classes["tagline"]}>Robot Fleet Management System</p>
            </div>
          </div>
          <SignInForm onSignedIn={onSignedIn} />
        </div>
      </main>
    </div>
  );
}
