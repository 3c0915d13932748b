export { AdminsButton } from "./admins-dialog.tsx";
