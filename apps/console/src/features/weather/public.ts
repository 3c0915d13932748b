export { weatherAdviceLook } from "./weather-looks.tsx";
export { WeatherPanel } from "./weather-panel.tsx";
export { celsius, percent } from "./weather-text.ts";
