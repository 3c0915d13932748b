import { Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * What one server measures. Names begin with `suncrew_`, units stand at their end. No label has a value that comes from
 * a person or a robot: routes are templates, and the rest are words of the code.
 */
export function makeInstruments() {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `suncrew_${name}`, help, labelNames, registers });
  const counter = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ name: `suncrew_${name}`, help, labelNames, registers });
  return {
    registry,
    info: gauge("info", "1, with the version that runs", ["version"]),
    callSeconds: new Histogram({
      name: "suncrew_http_request_duration_seconds",
      help: "Calls by method, route template and status; the live stream is not among them",
      labelNames: ["method", "route", "status"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    liveStreams: gauge("live_streams", "Live streams that are open"),
    liveBytes: gauge("live_waiting_bytes", "What live streams hold that their readers have not taken"),
    liveRefused: counter("live_streams_refused_total", "Live streams that were refused, by limit", ["limit"]),
    liveCut: counter("live_streams_cut_total", "Live streams that were cut off because nobody took what they carry"),
    connections: gauge("database_connections", "Connections to the database by pool and what they do", [
      "pool",
      "state",
    ]),
    waiting: gauge("database_waiting_callers", "Queries that wait for a connection", ["pool"]),
    figuresRead: gauge("database_reached", "1 where the figures of the fleet could be read just now"),
    brokerConnected: gauge("broker_connected", "1 while this server is connected to the broker"),
    clockTrusted: gauge("clock_trusted", "1 while this server relies on its clock; 0: neither bridge nor scheduler"),
    clockAhead: gauge(
      "clock_ahead_seconds",
      "How far a clock is ahead of the database's: what was counted, or the machine's own",
      ["clock"],
    ),
    bridge: gauge("bridge", "1 while this server is the bridge"),
    messages: counter("device_messages_total", "Messages of robots that this server took in, by leaf", ["leaf"]),
    dropped: counter("device_messages_dropped_total", "Messages of robots that were dropped, by reason", ["reason"]),
    settled: counter("commands_settled_total", "Commands that this server settled, by verb and outcome", [
      "verb",
      "outcome",
    ]),
    lateness: new Histogram({
      name: "suncrew_schedule_lateness_seconds",
      help: "How long after their due times this server served schedules",
      buckets: [0.5, 1, 1.5, 2, 3, 5, 10, 30, 60, 300, 600],
      registers,
    }),
    // Read from the database: every server tells the same.
    robots: gauge("robots", "Robots of the installation"),
    online: gauge("robots_online", "Robots that are online"),
    moving: gauge("robots_moving", "Robots that are online and move"),
    lostWhileMoving: gauge("robots_lost_while_moving", "Robots last seen moving that are not heard any more"),
    stopsPending: gauge("stops_pending", "STOPs that outlived their answer and are sent until confirmed"),
    locksPending: gauge("locks_pending", "Maintenance locks that robots have not confirmed"),
    schedulesDue: gauge("schedules_due", "Schedules that are due and not served"),
    oldestDue: gauge("schedule_oldest_due_seconds", "For how long the oldest of them has been due; 0 where none is"),
  };
}

export type Instruments = ReturnType<typeof makeInstruments>;
