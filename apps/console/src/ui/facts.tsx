import { Fragment, type ReactNode } from "react";
import shared from "./shared.module.css";

export interface FactsProps {
  /** What each term is; null leaves the term out. */
  readonly facts: Readonly<Record<string, ReactNode>>;
  readonly className?: string | undefined;
}

/** Terms and what they are. */
export function Facts({ facts, className = "" }: FactsProps) {
  return (
    <dl className={`${shared["facts"]} ${className}`}>
      {Object.entries(facts).map(
        ([term, value]) =>
          value !== null && (
            <Fragment key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
