export { judgeAnew } from "./guard.repository.ts";
export { freeSensor, type ReceivedReading, recordReadings, storeSensor } from "./sensors.repository.ts";
export { WEATHER_GUARD, WeatherGuard } from "./weather-guard.ts";
