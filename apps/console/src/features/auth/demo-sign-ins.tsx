import { roleSchema } from "@suncrew/contract/auth/auth.ts";
import { UnstyledButton } from "@mantine/core";
import { IconShieldCheck, IconTool } from "@tabler/icons-react";
import type { ServerConfig } from "../../platform/server-config.ts";
import classes from "./demo-sign-ins.module.css";
import { roleWord } from "./role-words.ts";

type DemoSignIn = ServerConfig["demo_sign_ins"][number];

export interface DemoSignInsProps {
  readonly signIns: readonly DemoSignIn[];
  readonly onChoose: (signIn: DemoSignIn) => void;
}

/** The known accounts of a demo; a press fills them in. Those whose password was changed are not among them. */
export function DemoSignIns({ signIns, onChoose }: DemoSignInsProps) {
  return (
    <section className={classes["demo"]} aria-labelledby="demo-title">
      <h2 id="demo-title" className={classes["title"]}>
        Demo with simulated robots
      </h2>
      <p className={classes["hint"]}>
        {signIns.length === 0
          ? "Its known passwords have been changed. A start with --reset begins anew."
          : "Choose an account to fill it in."}
      </p>
      <ul className={classes["list"]}>
        {signIns.map((signIn) => {
          const role = roleSchema.safeParse(signIn.role).data;
          const Icon = role === "SUPER_ADMIN" ? IconShieldCheck : IconTool;
          return (
            <li key={signIn.username}>
              <UnstyledButton className={classes["account"]} onClick={() => onChoose(signIn)}>
                <Icon size={18} stroke={1.6} aria-hidden />
                <span className={classes["words"]}>
                  <span className={classes["role"]}>{role === undefined ? signIn.role : roleWord[role]}</span>
                  <span className={classes["credentials"]}>
                    {signIn.username} / {signIn.password}
                  </span>
                </span>
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
