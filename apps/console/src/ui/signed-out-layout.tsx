import type { ReactNode } from "react";
import { BrandMark } from "./brand-mark.tsx";
import { SignedOutScene } from "./signed-out-scene.tsx";
import classes from "./signed-out-layout.module.css";

/** Around the sign-in page, and around every other page for people who are not signed in. */
export function SignedOutLayout({ children }: { readonly children: ReactNode }) {
  return (
    <div className={classes["page"]}>
      <div className={classes["scene"]}>
        <SignedOutScene />
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
          {children}
        </div>
      </main>
    </div>
  );
}
