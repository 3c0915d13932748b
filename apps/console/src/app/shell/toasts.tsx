import { Notifications } from "@mantine/notifications";

/** Toasts (§8). Loaded after the page's content. */
export function Toasts({ className }: { readonly className: string | undefined }) {
  return <Notifications position="top-center" className={className} />;
}
