import { Button, FileButton, Input, NativeSelect, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { type Firmware, FIRMWARE_ENDINGS, FIRMWARE_MAX_BYTES } from "@suncrew/contract/firmware/firmware.ts";
import { IconChevronDown, IconChevronRight, IconFileUpload } from "@tabler/icons-react";
import { useId, useState } from "react";
import { bytesText } from "./bytes-text.ts";
import classes from "./deploy-dialog.module.css";
import type { DeployField, DeployForm, DeployProblems, NumberField } from "./deploy-facts.ts";

interface DeployFieldsProps {
  readonly form: DeployForm;
  readonly problems: DeployProblems;
  /** Newest first. */
  readonly uploaded: readonly Firmware[];
  readonly isDisabled: boolean;
  readonly onChange: (by: Partial<DeployForm>) => void;
}

const numberLabels: Record<NumberField, { readonly label: string; readonly description: string }> = {
  batchSize: { label: "Robots at a time", description: "After the first one, which all others wait for." },
  threshold: { label: "Pause above, % failed", description: "The rollout pauses by itself and waits for you." },
  deadline: {
    label: "Installed within, minutes",
    description: "From each robot's own offer. A robot that does not run it by then has failed.",
  },
  waitLimit: {
    label: "Wait at most, hours",
    description: "For a robot that cannot be offered it. After that it is left out, which does not count as failed.",
  },
};
const NUMBERS = ["batchSize", "threshold", "deadline", "waitLimit"] as const;

/** Which firmware, and under "More" how cautious to be. */
export function DeployFields({ form, problems, uploaded, isDisabled, onChange }: DeployFieldsProps) {
  const [touched, setTouched] = useState<ReadonlySet<DeployField>>(new Set());
  const [isMore, setMore] = useState(false);
  const moreId = useId();
  const touch = (field: DeployField) => setTouched((now) => new Set([...now, field]));
  const shownProblem = (field: DeployField) => (touched.has(field) ? problems[field] : undefined);
  const isMoreWrong = NUMBERS.some((field) => problems[field] !== undefined);
  const Chevron = isMore ? IconChevronDown : IconChevronRight;
  const text = (field: "version" | NumberField) => ({
    value: form[field],
    error: shownProblem(field),
    disabled: isDisabled,
    autoComplete: "off",
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [field]: event.currentTarget.value }),
    onBlur: () => touch(field),
  });

  return (
    <Stack gap={12}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Firmware"
        value={form.source}
        disabled={isDisabled || uploaded.length === 0}
        data={[
          { value: "file", label: "Upload a file" },
          { value: "uploaded", label: uploaded.length === 0 ? "No uploads yet" : "Uploaded before" },
        ]}
        onChange={(value) => onChange({ source: value === "uploaded" ? "uploaded" : "file" })}
      />
      {form.source === "file" ? (
        <>
          <FileField
            file={form.file}
            problem={form.file === null ? undefined : problems.file}
            isDisabled={isDisabled}
            onChoose={(file) => onChange({ file })}
          />
          <TextInput
            label="Version"
            required
            maxLength={40}
            placeholder="Such as 2.5.0"
            description="As the robot reports it once it runs."
            {...text("version")}
          />
        </>
      ) : (
        <NativeSelect
          label="Firmware"
          required
          value={form.firmwareId}
          error={shownProblem("firmwareId")}
          disabled={isDisabled}
          data={[
            { value: "", label: "Choose the firmware" },
            ...uploaded.map(({ id, version, file_name }) => ({
              value: String(id),
              label: `${version} (${file_name})`,
            })),
          ]}
          onChange={(event) => onChange({ firmwareId: event.currentTarget.value })}
          onBlur={() => touch("firmwareId")}
        />
      )}
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          color="gray"
          ml={-8}
          aria-expanded={isMore || isMoreWrong}
          aria-controls={moreId}
          leftSection={<Chevron size={14} aria-hidden />}
          onClick={() => setMore(!isMore)}
        >
          More
        </Button>
        <div id={moreId} className={classes["numbers"]} hidden={!isMore && !isMoreWrong}>
          {NUMBERS.map((field) => (
            <TextInput
              key={field}
              size="xs"
              inputMode="numeric"
              maxLength={5}
              {...numberLabels[field]}
              {...text(field)}
            />
          ))}
        </div>
      </div>
    </Stack>
  );
}

interface FileFieldProps {
  readonly file: File | null;
  readonly problem: string | undefined;
  readonly isDisabled: boolean;
  readonly onChoose: (file: File) => void;
}

/** The firmware's file, chosen or dropped there. */
function FileField({ file, problem, isDisabled, onChoose }: FileFieldProps) {
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
