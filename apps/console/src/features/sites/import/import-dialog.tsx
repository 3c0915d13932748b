import "@mantine/core/styles/Checkbox.layer.css";
import { Alert, Button, FileButton } from "@mantine/core";
import { IconCircleCheck, IconDownload, IconFileSpreadsheet } from "@tabler/icons-react";
import { useGuardedClose } from "../../../platform/confirm/use-guarded-close.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import classes from "./import-dialog.module.css";
import { countedText, importKinds } from "./import-kinds.ts";
import type { ImportKind } from "./import-kinds.ts";
import { ImportPreview } from "./import-preview.tsx";
import { importColumns, templateOf } from "./import-template.ts";
import { useImport } from "./use-import.ts";
import { Dialog } from "../../../ui/dialog.tsx";

export interface ImportDialogProps {
  readonly kind: ImportKind;
  readonly onClose: () => void;
}

/** Import of sites or robots: a file, a preview that names every bad row and why, then all rows or none. */
export function ImportDialog({ kind, onClose }: ImportDialogProps) {
  const { title, templateName } = importKinds[kind];
  const { step, choose, apply, reset } = useImport(kind);
  const close = useGuardedClose({ isChanged: step.at === "applying" }, onClose);

  return (
    <Dialog onClose={close} title={title} size={760} fullScreenBelow="48em">
      {step.at === "done" ? (
        <>
          <Alert color="accent" icon={<IconCircleCheck size={18} />} title="Imported" role="status">
            {countedText(kind, step.count)} created from {step.fileName}.
          </Alert>
          <div className={classes["foot"]}>
            <Button variant="default" onClick={reset}>
              Import another file
            </Button>
            <Button onClick={onClose} data-autofocus>
              Close
            </Button>
          </div>
        </>
      ) : (
        <>
          <div className={classes["choose"]}>
            <FileButton
              accept=".csv,text/csv,text/plain"
              onChange={choose}
              key={step.at === "chosen" ? "again" : "first"}
            >
              {(button) => (
                <Button
                  {...button}
                  variant="default"
                  leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
                  disabled={step.at === "checking" || step.at === "applying"}
                  data-autofocus
                >
                  {step.fileName === null ? "Choose CSV file" : "Choose another file"}
                </Button>
              )}
            </FileButton>
            <span className={classes["fileName"]}>{step.fileName ?? "No file chosen"}</span>
            <Button
              variant="subtle"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => saveFile(new Blob([templateOf(kind)], { type: "text/csv" }), templateName)}
            >
              Download template
            </Button>
          </div>
          {step.at === "chosen" && <Columns kind={kind} />}
          {step.at === "checking" && <SkeletonLines label="Checking the file" lines={6} lineHeightPx={32} />}
          {(step.at === "failed" || step.at === "checked") && step.problem !== null && (
            <Alert color="red" role="alert" title="The file was not imported" mt="sm">
              {step.problem}
            </Alert>
          )}
          {(step.at === "checked" || step.at === "applying") && <ImportPreview kind={kind} answer={step.answer} />}
          <div className={classes["foot"]}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <DisabledReason reason={step.obstacle}>
              <Button loading={step.at === "applying"} onClick={apply}>
                {step.count > 0 ? `Import ${countedText(kind, step.count)}` : "Import"}
              </Button>
            </DisabledReason>
          </div>
        </>
      )}
    </Dialog>
  );
}

function Columns({ kind }: { kind: ImportKind }) {
  return (
    <div className={classes["columns"]}>
      <p>
        A CSV file with these column names in its first line, in any order, and days as YYYY-MM-DD. Every row is checked
        first; nothing is stored until you press Import.
      </p>
      <ul>
        {importColumns[kind].map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </div>
  );
}
