import type { ComponentType } from "react";
import { FailedPart, lazyPart, type LazyPart, type PartFailure } from "./lazy-part.tsx";
import { Dialog } from "./dialog.tsx";

/** A dialog as a lazy part; if it cannot be loaded, a dialog with its title says so. */
export function lazyDialog<P extends { readonly onClose: () => void }>(
  titleOf: (props: P) => string,
  load: () => Promise<ComponentType<P>>,
): LazyPart<P> {
  return lazyPart(load, {
    failed: (failure, props) => <FailedDialog title={titleOf(props)} failure={failure} onClose={props.onClose} />,
  });
}

function FailedDialog(props: { readonly title: string; readonly failure: PartFailure; readonly onClose: () => void }) {
  return (
    <Dialog onClose={props.onClose} title={props.title}>
      <FailedPart title="This dialog could not be loaded." failure={props.failure} />
    </Dialog>
  );
}
