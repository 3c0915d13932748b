export { WallboardLinksDialog } from "./links-dialog.tsx";
