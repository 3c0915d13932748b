import { Button, Group, Slider, Text } from "@mantine/core";
import { useId, useState } from "react";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { changeSpeeds } from "./robot-calls.ts";
import type { RobotView } from "./robot-view.ts";
import { Dialog } from "../../ui/dialog.tsx";

/** §9 Speed sliders. */
const SPEED_MIN = 0;
const SPEED_MAX = 100;
const SPEED_STEP = 1;

const MARKS = [0, 25, 50, 75, 100].map((value) => ({ value }));

function SpeedSlider({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  const id = useId();
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text id={id} size="sm" fw={600}>
          {label}
        </Text>
        <Text size="sm">{value} %</Text>
      </Group>
      <Slider
        min={SPEED_MIN}
        max={SPEED_MAX}
        step={SPEED_STEP}
        value={value}
        onChange={onChange}
        marks={MARKS}
        label={null}
        size="lg"
        thumbSize={22}
        thumbLabel={label}
        thumbValueText={(percent) => `${percent} %`}
      />
    </div>
  );
}

/** §2 Robot settings dialog: sliders for both motors. It opens with what the robot last confirmed. */
export function RobotSettingsDialog({ robot, onClose }: { readonly robot: RobotView; readonly onClose: () => void }) {
  const [begun] = useState({ main: robot.mainMotorSpeed, brush: robot.brushMotorSpeed });
  const [main, setMain] = useState(begun.main);
  const [brush, setBrush] = useState(begun.brush);
  const [isSaving, setSaving] = useState(false);
  const isChanged = main !== begun.main || brush !== begun.brush;
  const close = useGuardedClose({ isChanged, isSaving, shownBy: ["site", "tab"] }, onClose);

  const save = async () => {
    setSaving(true);
    const isDone = await changeSpeeds(robot, { main, brush });
    setSaving(false);
    if (isDone) onClose();
  };

  return (
    <Dialog onClose={close} title={`Robot settings: ${robot.serialNumber}`}>
      <div style={{ display: "grid", gap: 28, paddingBlock: 4 }}>
        <SpeedSlider label="Main motor speed" value={main} onChange={setMain} />
        <SpeedSlider label="Brush motor speed" value={brush} onChange={setBrush} />
      </div>
      <Text size="sm" c="dimmed" mt="lg">
        The speeds are saved once the robot has confirmed them.
      </Text>
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button loading={isSaving} onClick={() => void save()}>
          Save Settings
        </Button>
      </Group>
    </Dialog>
  );
}
