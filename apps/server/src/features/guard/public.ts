export { WEATHER_GUARD, WeatherGuard } from "./weather-guard.ts";
