export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
// The library writes Nan, and Prometheus ignores case there.
const sampleLine = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|Nan|[+-]Inf|[-+0-9.eE]+)$`);
const labelPart = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Parses the text format as strictly as Prometheus does. Throws with the offending line. */
export function parseMetrics(text: string): Sample[] {
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    if (line === "" || new RegExp(`^# HELP ${NAME} .+$`).test(line)) continue;
    const type = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`).exec(line);
    if (type !== null) {
      const [, name = "", kind = ""] = type;
      if (types.has(name)) throw new Error(`${name} is told twice: ${line}`);
      types.set(name, kind);
      continue;
    }
    const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? [];
    if (name === "") throw new Error(`no line of the text format: ${line}`);
    const family = name.replace(/_(bucket|sum|count)$/, "");
    if (!types.has(name) && !types.has(family)) throw new Error(`a sample without a type: ${line}`);
    if (seen.has(line.slice(0, line.lastIndexOf(" ")))) throw new Error(`a sample that is there twice: ${line}`);
    seen.add(line.slice(0, line.lastIndexOf(" ")));
    samples.push({ name, labels: parseLabels(labels, line), value: Number(value.replace("Inf", "Infinity")) });
  }
  return samples;
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let at = 0; at < text.length; at = labelPart.lastIndex) {
    labelPart.lastIndex = at;
    const match = labelPart.exec(text);
    if (match === null) throw new Error(`labels that do not parse: ${line}`);
    labels[match[1] ?? ""] = match[2] ?? "";
  }
  return labels;
}

/** The value of the only sample with this name and these labels; null if there is none. */
export function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | null {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  if (found.length > 1) throw new Error(`${name} has ${found.length} samples with these labels`);
  return found[0]?.value ?? null;
}
