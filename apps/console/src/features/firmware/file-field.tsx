import { Button, FileButton, Input } from "@mantine/core";
import { FIRMWARE_ENDINGS, FIRMWARE_MAX_BYTES } from "@suncrew/contract/firmware/firmware.ts";
import { IconFileUpload } from "@tabler/icons-react";
import { useId, useState } from "react";
import { bytesText } from "./bytes-text.ts";
import classes from "./deploy-dialog.module.css";

export interface FileFieldProps {
  readonly file: File | null;
  readonly problem: string | undefined;
  readonly isDisabled: boolean;
  readonly onChoose: (file: File) => void;
}

/** The firmware's file, chosen or dragged there. */
export function FileField({ file, problem, isDisabled, onChoose }: FileFieldProps) {
  const [isOver, setOver] = useState(false);
  const id = useId();
  return (
    <Input.Wrapper
      label="Firmware file"
      required
      labelElement="div"
      error={problem}
      errorProps={{ id: `${id}-problem` }}
      labelProps={{ id: `${id}-label` }}
    >
      <div
        className={classes["drop"]}
        role="group"
        aria-labelledby={`${id}-label`}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        data-over={isOver || undefined}
        data-problem={problem !== undefined || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(!isDisabled);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const [dropped] = event.dataTransfer.files;
          if (dropped !== undefined && !isDisabled) onChoose(dropped);
        }}
      >
        <FileButton
          accept={FIRMWARE_ENDINGS.join(",")}
          disabled={isDisabled}
          onChange={(chosen) => chosen !== null && onChoose(chosen)}
          key={file === null ? "first" : `${file.name} ${file.lastModified}`}
        >
          {(button) => (
            <Button
              {...button}
              variant="default"
              size="xs"
              leftSection={<IconFileUpload size={16} aria-hidden />}
              disabled={isDisabled}
            >
              {file === null ? "Choose file" : "Choose another file"}
            </Button>
          )}
        </FileButton>
        <span className={classes["fileName"]}>
          {file === null ? (
            `or drop it here: ${FIRMWARE_ENDINGS.join(", ")}, ${bytesText(FIRMWARE_MAX_BYTES)} at most`
          ) : (
            <>
              <strong>{file.name}</strong> {bytesText(file.size)}
            </>
          )}
        </span>
      </div>
    </Input.Wrapper>
  );
}
