import type { ReactNode } from "react";
import { BrandMark } from "./brand-mark.tsx";
import { SignedOutScene } from "./signed-out-scene.tsx";
import classes from "./signed-out-layout.module.css";

interface SignedOutLayoutProps {
  /** On a phone without the picture, so that what is to be pressed is in view. */
  readonly isBrief?: boolean;
  readonly children: ReactNode;
}

/** Around the sign-in page, and around every other page for people who are not signed in. */
export function SignedOutLayout({ isBrief = false, children }: SignedOutLayoutProps) {
  return (
    <div className={classes["page"]} data-brief={isBrief || undefined}>
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
