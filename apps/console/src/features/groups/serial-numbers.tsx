import { Fragment } from "react";

/** "SCR-1001, SCR-1002": no line ends inside a serial number. */
export function SerialNumbers({ serials }: { serials: readonly string[] }) {
  return serials.map((serial, index) => (
    <Fragment key={serial}>
      {index > 0 && ", "}
      <span style={{ whiteSpace: "nowrap" }}>{serial}</span>
    </Fragment>
  ));
}
