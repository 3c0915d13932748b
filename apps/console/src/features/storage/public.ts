export { StorageView } from "./storage-view.tsx";
