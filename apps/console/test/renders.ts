/** What React passes to its developer tools about a component; the fields that are read here. */
interface Fiber {
  readonly type: unknown;
  readonly flags: number;
  readonly memoizedProps: unknown;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly alternate: Fiber | null;
}

interface DevToolsHook {
  supportsFiber: boolean;
  inject: (renderer: unknown) => number;
  onCommitFiberRoot?: (renderer: number, root: { readonly current: Fiber }, ...more: unknown[]) => void;
}

declare global {
  // oxlint-disable-next-line no-underscore-dangle -- React's name for it
  var __REACT_DEVTOOLS_GLOBAL_HOOK__: DevToolsHook | undefined;
}

/** A component that React has rendered. */
export interface Rendered {
  readonly name: string;
  readonly props: unknown;
  /** The surrounding components, outermost first. */
  readonly within: readonly string[];
}

/** React's own flag of a component that was rendered rather than skipped. */
const PERFORMED_WORK = 1;

let record: ((rendered: Rendered) => void) | null = null;

/** Must be imported before React, which looks for the hook when it is loaded. */
function watchReact(): void {
  // oxlint-disable-next-line no-underscore-dangle -- React's name for it
  const hook = (globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ ??= { supportsFiber: true, inject: () => 1 });
  const others = hook.onCommitFiberRoot?.bind(hook);
  hook.onCommitFiberRoot = (renderer, root, ...more) => {
    if (record !== null) visit(root.current, []);
    others?.(renderer, root, ...more);
  };
}

function visit(fiber: Fiber, within: readonly string[]): void {
  const name = nameOf(fiber.type);
  const isNew = fiber.alternate === null;
  if (name !== null && (isNew || (fiber.flags & PERFORMED_WORK) !== 0)) {
    record?.({ name, props: fiber.memoizedProps, within });
  }
  // What React has skipped is unchanged.
  if (!isNew && fiber.child === fiber.alternate?.child) return;
  const around = name === null ? within : [...within, name];
  for (let child = fiber.child; child !== null; child = child.sibling) visit(child, around);
}

function nameOf(type: unknown): string | null {
  if (typeof type === "function") return type.name;
  if (typeof type !== "object" || type === null) return null;
  if ("render" in type) return nameOf(type.render);
  return "type" in type ? nameOf(type.type) : null;
}

/** The components that React renders until `stop`. */
export function watchRenders(): { readonly rendered: readonly Rendered[]; readonly stop: () => void } {
  const rendered: Rendered[] = [];
  record = (one) => void rendered.push(one);
  return { rendered, stop: () => void (record = null) };
}

watchReact();
