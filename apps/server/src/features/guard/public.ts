export { freeSensor, type ReceivedReading, recordReadings } from "./sensors.repository.ts";
export { WEATHER_GUARD, WeatherGuard } from "./weather-guard.ts";
