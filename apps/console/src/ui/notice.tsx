import { Alert, type AlertProps } from "@mantine/core";
import classes from "./notice.module.css";

/** Something to be dealt with, though nothing is broken. */
export function Notice(props: AlertProps) {
  const { notice: root = "", title = "", message = "", icon = "" } = classes;
  return <Alert color="yellow" variant="light" classNames={{ root, title, message, icon }} {...props} />;
}
