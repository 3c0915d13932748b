export { type GoPage, type Opened, Palette } from "./palette.tsx";
