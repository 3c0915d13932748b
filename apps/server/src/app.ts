import Fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { activityRoutes } from "./features/activity/activity.routes.ts";
import { alertsRoutes } from "./features/alerts/alerts.routes.ts";
import { AlertWatch } from "./features/alerts/public.ts";
import { apiDocsRoutes } from "./features/api-docs/api-docs.routes.ts";
import { collectCalls } from "./features/api-docs/public.ts";
import { attentionRoutes } from "./features/attention/attention.routes.ts";
import { auditRoutes } from "./features/audit/audit.routes.ts";
import { Sealer } from "./features/audit/public.ts";
import { authRoutes } from "./features/auth/auth.routes.ts";
import { commandRoutes, Commands } from "./features/commands/public.ts";
import { configRoutes } from "./features/config/config.routes.ts";
import { devicesRoutes } from "./features/devices/devices.routes.ts";
import { Bridge } from "./features/devices/public.ts";
import { eventsRoutes } from "./features/events/events.routes.ts";
import { EventSender } from "./features/events/public.ts";
import { firmwareRoutes, RolloutEngine } from "./features/firmware/public.ts";
import { guardRoutes } from "./features/guard/guard.routes.ts";
import { WeatherGuard } from "./features/guard/public.ts";
import { groupsRoutes } from "./features/groups/groups.routes.ts";
import { liveRoutes } from "./features/live/live.routes.ts";
import { mailServerRoutes } from "./features/mail-server/mail-server.routes.ts";
import { storedMailer } from "./features/mail-server/public.ts";
import { maintenanceRoutes } from "./features/maintenance/maintenance.routes.ts";
import { metricsRoutes } from "./features/metrics/metrics.routes.ts";
import { Metrics } from "./features/metrics/public.ts";
import { messageLinkRoutes } from "./features/notifications/message-links.routes.ts";
import { RegularMessages } from "./features/notifications/public.ts";
import { monthlyReportsRoutes } from "./features/monthly-reports/monthly-reports.routes.ts";
import { notificationRoutes } from "./features/notifications/notifications.routes.ts";
import { type DemoMailbox, deliveriesRoutes } from "./features/notifications/deliveries.routes.ts";
import { notificationJobs } from "./features/notifications/notifications.jobs.ts";
import {
  MonthlyReports,
  reportDeliveryMails,
  reportGenerator,
  reportMails,
} from "./features/monthly-reports/public.ts";
import { partnersRoutes } from "./features/partners/partners.routes.ts";
import { reportTemplatesRoutes } from "./features/report-templates/report-templates.routes.ts";
import { reportsRoutes } from "./features/reports/reports.routes.ts";
import { DayClosing } from "./features/robot-days/public.ts";
import { robotHistoryRoutes } from "./features/robot-history/robot-history.routes.ts";
import { robotsRoutes } from "./features/robots/robots.routes.ts";
import { runsRoutes } from "./features/runs/runs.routes.ts";
import { Scheduler } from "./features/schedules/public.ts";
import { schedulesRoutes } from "./features/schedules/schedules.routes.ts";
import { siteManagementRoutes } from "./features/site-management/site-management.routes.ts";
import { sitesRoutes } from "./features/sites/sites.routes.ts";
import { Forecasts, readHoursOfSites, SiteInputs } from "./features/weather/public.ts";
import { weatherRoutes } from "./features/weather/weather.routes.ts";
import { Retention, StorageReport } from "./features/storage/public.ts";
import { computeEveningTask, SoilingOfSites, SoilingWatch, StrategiesOfSites } from "./features/soiling/public.ts";
import { measurementRoutes } from "./features/measurements/measurements.routes.ts";
import { soilingRoutes } from "./features/soiling/soiling.routes.ts";
import { storageRoutes } from "./features/storage/storage.routes.ts";
import { ChangeSignal } from "./platform/change-signal.ts";
import { MailOutbox } from "./platform/mail-outbox.ts";
import { httpOptions, InFlightRequests, useHttpPlatform } from "./platform/http/http-platform.ts";
import type { Dependencies, Service } from "./platform/dependencies.ts";
import { Workers } from "./platform/workers/workers.ts";

export interface App {
  readonly http: FastifyInstance;
  /** Starts the services: change signal, live feed, bridge, jobs. The caller listens. */
  start(): Promise<void>;
  /** Accepts no new connections, ends streams, and lets calls in progress be answered. */
  endCalls(): Promise<void>;
  /** Ends streams and calls, then the services in reverse order. */
  stop(): Promise<void>;
}

/** How long a stopping server waits for calls in progress, in milliseconds: a START takes up to 8 s and a margin. */
const ANSWER_LIMIT_MS = 10_000;
/** How long a client may take to read an answer. */
const SEND_LIMIT_MS = 1_500;
/** The maximum time for ending all calls, in milliseconds. */
export const CALLS_LIMIT_MS = ANSWER_LIMIT_MS + SEND_LIMIT_MS + 500;

/** Assembles the server. Features are listed here in order, and nowhere else. */
export async function buildApp(given: Dependencies & { readonly demoMailbox?: DemoMailbox }): Promise<App> {
  const deps = { ...given, mailer: given.mailer ?? storedMailer(given, given.demoMailbox?.mail) };
  const loggerInstance: FastifyBaseLogger = deps.log;
  const http = Fastify({ loggerInstance, ...httpOptions(deps.settings) });
  http.setValidatorCompiler(validatorCompiler);
  http.setSerializerCompiler(serializerCompiler);
  http.decorateRequest("viewer", null);
  const workers = new Workers(deps);
  const calls = new InFlightRequests(http);
  await useHttpPlatform(http, deps, workers);

  const reserved = { ...deps, db: deps.reservedDb ?? deps.db };
  const changes = new ChangeSignal(deps);

  await collectCalls(http);

  // Features.
  const services: Service[] = [workers, changes];
  const storage = new StorageReport(deps);
  const metrics = new Metrics({ ...deps, storage });
  metricsRoutes(http, deps.settings, metrics);
  services.push(...(await authRoutes(http, deps)));
  services.push(...configRoutes(http, deps));
  apiDocsRoutes(http, deps.settings);
  sitesRoutes(http, deps);
  const forecasts = new Forecasts(deps);
  services.push(forecasts);
  weatherRoutes(http, deps, forecasts);
  if (deps.settings.refreshesSiteHours ?? true) services.push(new SiteInputs(deps));
  const soiling = new SoilingOfSites(deps, workers);
  soilingRoutes(http, deps, soiling, new StrategiesOfSites(deps, workers));
  services.push(new SoilingWatch(deps, workers));
  partnersRoutes(http, deps);
  activityRoutes(http, deps);
  reportsRoutes(http, deps, workers);
  auditRoutes(http, deps);
  services.push(new Sealer(deps));

  services.push(new DayClosing(deps));
  reportTemplatesRoutes(http, deps);
  mailServerRoutes(http, deps, deps.demoMailbox?.mail);
  monthlyReportsRoutes(http, deps);
  services.push(new MonthlyReports({ ...deps, generate: reportGenerator(deps, workers) }));
  services.push(new MailOutbox(deps, [reportMails, reportDeliveryMails(deps)]));
  const live = liveRoutes(http, deps, changes);
  services.push(live.feed);
  const commands = new Commands(reserved, changes);
  services.push(commands);
  commandRoutes(http, reserved, changes, commands);
  robotsRoutes(http, deps, workers, commands);
  const scheduler = new Scheduler({
    ...reserved,
    commands,
    forecasts,
    worthOf: (siteId, robotIds, times) => {
      const owner = { person: "cleaning by need", team: "cleaning by need" };
      const { signal } = new AbortController();
      return workers.run(computeEveningTask, { siteId, robotIds, ...times }, { owner, signal });
    },
    onServed: (lateMs) => metrics.scheduleLateness.observe(lateMs / 1000),
  });
  services.push(scheduler);
  services.push(new WeatherGuard({ ...reserved, commands, readHours: readHoursOfSites }));
  guardRoutes(http, deps, readHoursOfSites);
  schedulesRoutes(http, deps);
  runsRoutes(http, deps);
  robotHistoryRoutes(http, deps);
  groupsRoutes(http, deps, commands);
  firmwareRoutes(http, deps);
  services.push(new RolloutEngine(deps));
  siteManagementRoutes(http, deps, workers);
  measurementRoutes(http, deps, workers, soiling);
  maintenanceRoutes(http, reserved, commands);
  services.push(devicesRoutes(http, deps, commands));
  const bridge = new Bridge({ ...reserved, resendPending: (robotIds) => commands.resendPending(robotIds) });
  services.push(bridge);
  storageRoutes(http, storage);
  services.push(new Retention(deps));
  alertsRoutes(http, deps);
  attentionRoutes(http, deps);
  await messageLinkRoutes(http, deps);
  services.push(new RegularMessages(deps));
  services.push(new AlertWatch(deps));
  notificationRoutes(http, deps);
  const { notifier, runner } = notificationJobs(deps);
  services.push(runner, notifier);
  deliveriesRoutes(http, deps, runner, deps.demoMailbox);
  eventsRoutes(http, deps);
  services.push(new EventSender(deps));
  metrics.measure({ bridge, live });

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
