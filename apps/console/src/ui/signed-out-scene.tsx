import classes from "./signed-out-scene.module.css";

/** A row of panels, seen from the front: the further away, the smaller and closer together. */
interface PanelRow {
  readonly y: number;
  readonly height: number;
  readonly module: number;
  readonly shift: number;
}

const WIDTH = 1200;
const LEAN = 0.34;
const FAR_ROWS: readonly PanelRow[] = [
  { y: 596, height: 26, module: 40, shift: 10 },
  { y: 646, height: 40, module: 60, shift: 34 },
  { y: 716, height: 62, module: 92, shift: 20 },
];
const NEAR_ROW: PanelRow = { y: 824, height: 124, module: 150, shift: 60 };
/** How far the robot has come: left of it the panels are clean. */
const ROBOT_X = 640;

/** The four corners of a stretch of a row; the row leans away from the viewer. */
function stretch({ y, height }: PanelRow, fromX: number, toX: number): string {
  const lean = height * LEAN;
  return `M${fromX + lean} ${y}H${toX + lean}L${toX} ${y + height}H${fromX}z`;
}

function modulesOf(row: PanelRow): readonly number[] {
  const count = Math.ceil((WIDTH + row.shift + row.height) / row.module) + 1;
  return Array.from({ length: count }, (_, index) => index * row.module - row.shift - row.height);
}

/** One module of a row, with the gap to its neighbours. */
function modulePath(row: PanelRow, x: number): string {
  const gap = row.module * 0.035;
  return stretch(row, x + gap, x + row.module - gap);
}

function Row({ row }: { row: PanelRow }) {
  const gap = row.module * 0.035;
  const lean = row.height * LEAN;
  const middle = row.y + row.height / 2;
  return (
    <>
      <path
        fill="var(--dark)"
        opacity={0.1}
        d={`M0 ${row.y + row.height + row.height * 0.16}H${WIDTH}v${row.height * 0.13}H0z`}
      />
      {modulesOf(row).map((x) => (
        <g key={x}>
          <path
            stroke="var(--dark)"
            opacity={0.55}
            d={`M${x + row.module / 2} ${row.y + row.height}v${row.height * 0.2}`}
            strokeWidth={row.height * 0.05}
          />
          <path fill="url(#scene-module)" d={modulePath(row, x)} />
          <path
            stroke="var(--cells)"
            opacity={0.4}
            fill="none"
            strokeWidth={Math.max(0.6, row.height * 0.012)}
            d={`M${x + gap + lean / 2} ${middle}H${x + row.module - gap + lean / 2}${[0.25, 0.5, 0.75]
              .map((part) => `M${x + row.module * part + lean} ${row.y}L${x + row.module * part} ${row.y + row.height}`)
              .join("")}`}
          />
        </g>
      ))}
    </>
  );
}

/** The robot: a carriage over the whole row, its brush against the glass. */
function Robot() {
  const { y, height } = NEAR_ROW;
  const lean = height * LEAN;
  return (
    <g>
      <path fill="var(--detail)" d={`M${ROBOT_X - 9 + lean} ${y - 2}h18l${-lean} ${height + 4}h-18z`} />
      <path
        stroke="#ffffff"
        strokeWidth={2}
        opacity={0.4}
        d={Array.from({ length: 15 }, (_, index) => {
          const part = (index + 0.5) / 15;
          return `M${ROBOT_X - 9 + lean * (1 - part)} ${y + height * part}l18 -6`;
        }).join("")}
      />
      <path
        fill="var(--body)"
        stroke="var(--dark)"
        strokeWidth={2}
        d={`M${ROBOT_X + 10 + lean} ${y - 8}h20l${-lean} ${height + 16}h-20z`}
      />
      <rect
        fill="var(--body)"
        stroke="var(--dark)"
        strokeWidth={2}
        x={ROBOT_X + lean - 26}
        y={y - 30}
        width="84"
        height="30"
        rx="9"
      />
      <rect
        fill="var(--body)"
        stroke="var(--dark)"
        strokeWidth={2}
        x={ROBOT_X - 34}
        y={y + height - 2}
        width="84"
        height="32"
        rx="9"
      />
      <circle fill="var(--dark)" cx={ROBOT_X - 16} cy={y + height + 30} r="7" />
      <circle fill="var(--dark)" cx={ROBOT_X + 32} cy={y + height + 30} r="7" />
      <circle fill="#38c172" cx={ROBOT_X + lean + 42} cy={y - 15} r="4.5" />
      <path stroke="var(--sun)" strokeWidth={6} strokeLinecap="round" d={`M${ROBOT_X - 20} ${y + height + 14}h40`} />
    </g>
  );
}

function Glint({ x, y, size }: { x: number; y: number; size: number }) {
  const inner = size * 0.22;
  return (
    <path
      fill="#ffffff"
      opacity={0.9}
      d={`M${x} ${y - size}l${inner} ${size - inner}l${size - inner} ${inner}l${inner - size} ${inner}l${-inner} ${size - inner}l${-inner} ${inner - size}l${inner - size} ${-inner}l${size - inner} ${-inner}z`}
    />
  );
}

/** The sign-in page's illustration: a robot cleans a row of panels in the morning. Decoration only. */
export function SignedOutScene() {
  return (
    <svg
      viewBox={`0 0 ${WIDTH} 1080`}
      preserveAspectRatio="xMidYMax slice"
      className={classes["scene"]}
      aria-hidden
      focusable="false"
    >
      <defs>
        <linearGradient id="scene-sky" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="var(--sky-high)" />
          <stop offset="1" stopColor="var(--sky-low)" />
        </linearGradient>
        <clipPath id="scene-near">
          {modulesOf(NEAR_ROW).map((x) => (
            <path key={x} d={modulePath(NEAR_ROW, x)} />
          ))}
        </clipPath>
        <linearGradient id="scene-module" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stopColor="var(--module-light)" />
          <stop offset="1" stopColor="var(--module-deep)" />
        </linearGradient>
      </defs>
      <rect width={WIDTH} height="620" fill="url(#scene-sky)" />
      <circle fill="var(--halo)" opacity={0.5} cx="770" cy="420" r="280" />
      <circle fill="var(--halo)" opacity={0.5} cx="770" cy="420" r="190" />
      <circle fill="var(--sun)" cx="770" cy="420" r="112" />
      <path
        fill="var(--cloud)"
        opacity={0.65}
        d="M150 262h236a34 34 0 0 0 0-68h-8a62 62 0 0 0-116-18 46 46 0 0 0-76 20h-36a33 33 0 0 0 0 66z"
      />
      <path
        fill="var(--cloud)"
        opacity={0.65}
        d="M930 172h132a20 20 0 0 0 0-40h-6a38 38 0 0 0-70-8 28 28 0 0 0-44 12h-12a18 18 0 0 0 0 36z"
      />
      <path
        fill="var(--hills-far)"
        d="M0 560c120-62 232-70 352-34 104 30 196 12 300-22 132-42 248-10 348 18 76 22 140 18 200 4v120H0z"
      />
      <path fill="var(--hills-near)" d="M0 590c140-30 270-28 400-8 160 24 300 10 440-8 130-16 250-6 360 12v60H0z" />
      <rect fill="var(--ground)" y="586" width={WIDTH} height="494" />
      {FAR_ROWS.map((row) => (
        <Row key={row.y} row={row} />
      ))}
      <Row row={NEAR_ROW} />
      <g clipPath="url(#scene-near)">
        <path fill="var(--dust)" opacity={0.5} d={stretch(NEAR_ROW, ROBOT_X + 20, WIDTH + 60)} />
        <path fill="#ffffff" opacity={0.14} d={stretch(NEAR_ROW, 250, 330)} />
        <path fill="#ffffff" opacity={0.14} d={stretch(NEAR_ROW, 352, 376)} />
      </g>
      <Glint x={520} y={846} size={22} />
      <Glint x={470} y={906} size={13} />
      <Glint x={210} y={868} size={16} />
      <Robot />
    </svg>
  );
}
