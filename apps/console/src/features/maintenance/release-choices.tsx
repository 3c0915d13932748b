import { Button } from "@mantine/core";
import classes from "./maintenance.module.css";

export interface ReleaseChoicesProps {
  /** Which of the two is under way. */
  readonly busy: "start" | "release" | null;
  readonly onCancel: () => void;
  readonly onRelease: (startAfter: boolean) => void;
}

/** Three ways out of the question; the one that moves nothing has the focus. */
export function ReleaseChoices({ busy, onCancel, onRelease }: ReleaseChoicesProps) {
  return (
    <div className={classes["choices"]}>
      <Button variant="default" onClick={onCancel} data-autofocus>
        Cancel
      </Button>
      <Button variant="light" loading={busy === "release"} disabled={busy === "start"} onClick={() => onRelease(false)}>
        Release Without Starting
      </Button>
      <Button color="red" loading={busy === "start"} disabled={busy === "release"} onClick={() => onRelease(true)}>
        Release and Start
      </Button>
    </div>
  );
}
