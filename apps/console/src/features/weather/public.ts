export { WeatherLine, WeatherPanel } from "./weather-panel.tsx";
