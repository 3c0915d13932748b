import { Notifications } from "@mantine/notifications";

/** Short messages that come and go (§8 Toasts). Loaded after the page's content. */
export function Messages({ className }: { readonly className: string | undefined }) {
  return <Notifications position="top-center" className={className} />;
}
