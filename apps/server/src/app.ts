import Fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { activityRoutes } from "./features/activity/activity.routes.ts";
import { alertsRoutes } from "./features/alerts/alerts.routes.ts";
import { AlertWatch } from "./features/alerts/public.ts";
import { apiDocsRoutes } from "./features/api-docs/api-docs.routes.ts";
import { auditRoutes } from "./features/audit/audit.routes.ts";
import { Sealer } from "./features/audit/public.ts";
import { authRoutes } from "./features/auth/auth.routes.ts";
import { commandRoutes, Commands } from "./features/commands/public.ts";
import { configRoutes } from "./features/config/config.routes.ts";
import { devicesRoutes } from "./features/devices/devices.routes.ts";
import { Bridge } from "./features/devices/public.ts";
import { firmwareRoutes, Rollouts } from "./features/firmware/public.ts";
import { groupsRoutes } from "./features/groups/groups.routes.ts";
import { liveRoutes } from "./features/live/live.routes.ts";
import { maintenanceRoutes } from "./features/maintenance/maintenance.routes.ts";
import { metricsRoutes } from "./features/metrics/metrics.routes.ts";
import { Metrics } from "./features/metrics/public.ts";
import { monthlyReportsRoutes } from "./features/monthly-reports/monthly-reports.routes.ts";
import { MonthlyReports, siteReports } from "./features/monthly-reports/public.ts";
import { partnersRoutes } from "./features/partners/partners.routes.ts";
import { reportTemplatesRoutes } from "./features/report-templates/report-templates.routes.ts";
import { reportsRoutes } from "./features/reports/reports.routes.ts";
import { robotFormsRoutes } from "./features/robots/robot-forms.routes.ts";
import { robotSettingsRoutes } from "./features/robots/robot-settings.routes.ts";
import { robotsRoutes } from "./features/robots/robots.routes.ts";
import { runsRoutes } from "./features/runs/runs.routes.ts";
import { Scheduler } from "./features/schedules/public.ts";
import { schedulesRoutes } from "./features/schedules/schedules.routes.ts";
import { siteManagementRoutes } from "./features/site-management/site-management.routes.ts";
import { sitesRoutes } from "./features/sites/sites.routes.ts";
import { Forecasts } from "./features/weather/public.ts";
import { weatherRoutes } from "./features/weather/weather.routes.ts";
import { ChangeSignal } from "./platform/change-signal.ts";
import { InFlightRequests } from "./platform/http/in-flight-requests.ts";
import { httpOptions, useHttpPlatform } from "./platform/http/http-platform.ts";
import type { Dependencies, Service } from "./platform/dependencies.ts";
import { Workers } from "./platform/workers/workers.ts";

export interface App {
  readonly http: FastifyInstance;
  /** Starts the long-lived parts: change signal, live feed, bridge, jobs. Listening is the caller's. */
  start(): Promise<void>;
  /** Takes no new connections, ends streams, and lets the calls under way be answered. */
  endCalls(): Promise<void>;
  /** Ends streams and calls, then the long-lived parts, in the opposite order. */
  stop(): Promise<void>;
}

/** A call under way is answered before the server stops, in milliseconds: a START takes up to 8 s and its grace. */
const ANSWER_LIMIT_MS = 10_000;
/** An answer has this long to be read. */
const SEND_LIMIT_MS = 1_500;
/** What ending all calls takes at most, in milliseconds. */
export const CALLS_LIMIT_MS = ANSWER_LIMIT_MS + SEND_LIMIT_MS + 500;

/** Puts the product together from its outside parts. Features are listed here in order, and nowhere else. */
export async function buildApp(parts: Dependencies): Promise<App> {
  const loggerInstance: FastifyBaseLogger = parts.log;
  const http = Fastify({ loggerInstance, ...httpOptions(parts.settings) });
  http.setValidatorCompiler(validatorCompiler);
  http.setSerializerCompiler(serializerCompiler);
  http.decorateRequest("viewer", null);
  const workers = new Workers(parts);
  const calls = new InFlightRequests(http);
  await useHttpPlatform(http, parts, workers);

  const reserved = { ...parts, db: parts.reservedDb ?? parts.db };
  const changes = new ChangeSignal(parts.connection, parts.clock, parts.log);

  // Features.
  const services: Service[] = [workers, changes];
  const metrics = new Metrics(parts);
  metricsRoutes(http, parts.settings, metrics);
  services.push(...(await authRoutes(http, parts)));
  services.push(...configRoutes(http, parts));
  apiDocsRoutes(http, parts.settings);
  sitesRoutes(http, parts);
  const forecasts = new Forecasts(parts);
  services.push(forecasts);
  weatherRoutes(http, parts, forecasts);
  robotsRoutes(http, parts);
  robotFormsRoutes(http, parts, workers);
  partnersRoutes(http, parts);
  activityRoutes(http, parts);
  reportsRoutes(http, parts, workers);
  auditRoutes(http, parts);
  services.push(new Sealer(parts));

  reportTemplatesRoutes(http, parts);
  monthlyReportsRoutes(http, parts);
  services.push(new MonthlyReports({ ...parts, makeReport: siteReports(parts, workers) }));
  const live = liveRoutes(http, parts, changes);
  services.push(live.feed);
  const commands = new Commands(reserved, changes);
  services.push(commands);
  commandRoutes(http, reserved, changes, commands);
  robotSettingsRoutes(http, commands);
  const scheduler = new Scheduler({ ...reserved, commands, forecasts, onServed: (lateMs) => metrics.served(lateMs) });
  services.push(scheduler);
  schedulesRoutes(http, parts);
  runsRoutes(http, parts);
  groupsRoutes(http, parts, commands);
  firmwareRoutes(http, parts);
  services.push(new Rollouts(parts));
  siteManagementRoutes(http, parts, workers);
  maintenanceRoutes(http, reserved, commands);
  services.push(devicesRoutes(http, parts, commands));
  const bridge = new Bridge({ ...reserved, resendPending: (robotIds) => commands.resendPending(robotIds) });
  services.push(bridge);
  alertsRoutes(http, parts);
  services.push(new AlertWatch(parts));
  metrics.watch({ bridge, live });

  let ended: Promise<void> | null = null;
  const endCalls = (): Promise<void> =>
    (ended ??= calls.end(() => http.close(), { answerMs: ANSWER_LIMIT_MS, sendMs: SEND_LIMIT_MS }));
  return {
    http,
    endCalls,
    async start() {
      for (const service of services) await service.start();
    },
    async stop() {
      await endCalls();
      for (const service of services.toReversed()) await service.stop();
    },
  };
}
