export { WeatherPanel } from "./weather-panel.tsx";
