import { useMemo } from "react";
import { attributionParts } from "./attribution.ts";
import classes from "./site-map-view.module.css";

/** The tiles' attribution, at the map's edge. */
export function Attribution({ text }: { text: string }) {
  const parts = useMemo(() => attributionParts(text), [text]);
  return (
    <div className={classes["attribution"]}>
      {parts.map(({ text: words, href }) =>
        href === null ? (
          words
        ) : (
          <a key={href} href={href} target="_blank" rel="noreferrer">
            {words}
          </a>
        ),
      )}
    </div>
  );
}
