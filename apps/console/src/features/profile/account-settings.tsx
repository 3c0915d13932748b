import { paths } from "../../platform/paths.ts";
import classes from "./account-settings.module.css";

const SETTINGS = [
  { name: "Email Notifications", meaning: "Messages about your sites by e-mail" },
  { name: "Language Preferences", meaning: "The language of this console" },
] as const;

/** §2 Profile page, account settings: what is not there yet says so, and has nothing to press. Then the way to the API. */
export function AccountSettings() {
  return (
    <ul className={classes["list"]}>
      {SETTINGS.map(({ name, meaning }) => (
        <li key={name} className={classes["setting"]}>
          <span className={classes["words"]}>
            <span className={classes["name"]}>{name}</span>
            <span className={classes["meaning"]}>{meaning}</span>
          </span>
          <span className={classes["soon"]}>Coming Soon</span>
        </li>
      ))}
      <li className={classes["setting"]}>
        <span className={classes["words"]}>
          <span className={classes["name"]}>API</span>
          <span className={classes["meaning"]}>Every call that other programs may make, to read and to try out</span>
        </span>
        <a href={paths.apiDocs()} className={classes["link"]}>
          API documentation
        </a>
      </li>
    </ul>
  );
}
