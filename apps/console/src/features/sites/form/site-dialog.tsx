import { Button, Modal, Skeleton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useMemo, useRef, useState } from "react";
import type { FormEvent } from "react";
import { useGuardedClose } from "../../../platform/confirm/use-guarded-close.ts";
import { DeletedNotice, EditConflict } from "../../../ui/edit-conflict.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { FailedPart, lazyPart } from "../../../ui/lazy-part.tsx";
import { useReturnFocus } from "../../../ui/use-return-focus.ts";
import { MaintenanceFields } from "./maintenance-fields.tsx";
import classes from "./site-dialog.module.css";
import { SiteFields } from "./site-fields.tsx";
import { placeOf } from "./site-form.ts";
import type { SiteField } from "./site-form.ts";
import { useSiteForm } from "./use-site-form.ts";

const PlacePicker = lazyPart(async () => (await import("../map/place-picker.tsx")).PlacePicker, {
  waiting: <Skeleton className={classes["mapWaiting"]} radius="md" />,
  failed: (failure) => <FailedPart title="The map could not be loaded." failure={failure} />,
});

export interface SiteDialogProps {
  /** The site to edit; null creates one. */
  readonly site: Site | null;
  /** The sites as they are known now, also while the dialog is open. */
  readonly sites: readonly Site[];
  readonly onSaved: (siteId: number) => void;
  readonly onClose: () => void;
}

/** §2 Add New Site and Edit Site, with the rules of §5. */
export function SiteDialog({ site, sites, onSaved, onClose }: SiteDialogProps) {
  useReturnFocus();
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const state = useSiteForm(site, sites, onSaved);
  const close = useGuardedClose(state, onClose);
  const [isPicking, setPicking] = useState(false);
  const formElement = useRef<HTMLFormElement>(null);
  const ownId = site?.id;
  const others = useMemo(() => sites.filter(({ id }) => id !== ownId), [sites, ownId]);

  const focusOn = (field: SiteField | null) => {
    if (field === null) return;
    formElement.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    focusOn(await state.save());
  };

  return (
    <Modal
      opened
      onClose={close}
      title={site === null ? "Add New Site" : "Edit Site"}
      size={960}
      fullScreen={isNarrow}
      closeOnEscape={!isPicking}
    >
      <form ref={formElement} noValidate onSubmit={(event) => void submit(event)}>
        {state.gone !== null ? (
          <DeletedNotice what="site" reason={state.gone} />
        ) : (
          state.meanwhile !== null && <EditConflict what="site" meanwhile={state.meanwhile} />
        )}
        <div className={classes["halves"]}>
          <SiteFields state={state} />
          <div className={classes["mapHalf"]}>
            <PlacePicker
              place={placeOf(state.form)}
              isTaken={state.isPlaceTaken}
              others={others}
              onPick={({ latitude, longitude }) => {
                state.change({ lat: latitude.toFixed(6), lng: longitude.toFixed(6) });
                state.touch("lat", "lng");
              }}
            />
            <p className={classes["hint"]}>
              Press the map to set latitude and longitude, or drag the pin. Dots are the other sites.
            </p>
          </div>
          <MaintenanceFields state={state} isPicking={isPicking} onPicking={setPicking} />
        </div>
        {/* Also Enter in a field presses Save, as browsers have it: a disabled one then shows what is wrong. */}
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- see above */}
        <div
          className={classes["foot"]}
          onClickCapture={(event) => {
            const isSave = event.target instanceof Element && event.target.closest('[type="submit"]') !== null;
            if (isSave && state.obstacle !== null) focusOn(state.tryFields());
          }}
        >
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <DisabledReason reason={state.obstacle}>
            <Button type="submit" loading={state.isSaving}>
              {site === null ? "Add Site" : "Save"}
            </Button>
          </DisabledReason>
        </div>
      </form>
    </Modal>
  );
}
