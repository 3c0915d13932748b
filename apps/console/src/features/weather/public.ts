export { WeatherCard } from "./weather-card.tsx";
