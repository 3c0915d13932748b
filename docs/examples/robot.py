#!/usr/bin/env python3
"""A robot for Suncrew without motors or firmware updates, for paho-mqtt 1.6 and 2. docs/device-guide.md says why.
robot.py --host broker --port 8883 --ca ca.crt --serial SCR-1001 --secret=... --memory /var/lib/robot.json"""
import argparse, json, os, random, sys, threading, time, uuid
from datetime import datetime, timezone
import paho.mqtt.client as mqtt

CLOCK_SET_SINCE, LINK_LOSS_S, REPORT_S, REPEAT_S, LARGEST = 1704067200, 300, 15, 5, 32768
ORDERS = ("START", "STOP", "SET", "MAINTENANCE_ON", "MAINTENANCE_OFF")
SETTINGS = {"direction": "direction", "main-speed": "mainSpeed", "brush-speed": "brushSpeed"}

def now(): return datetime.now(timezone.utc).isoformat(timespec="milliseconds")

def whole(value, low=0, high=2**52):
    if type(value) is not int or not low <= value <= high: raise ValueError(value)

def checked(c):  # rule 10: a message that is not as the protocol says raises an error, and is dropped
    if c["v"] != 1 or c["verb"] not in ORDERS + ("STATUS", "RECEIVED"): raise ValueError("verb")
    c["id"] = str(uuid.UUID(c["id"]))
    c["expiry"] = datetime.fromisoformat(c["expiresAt"].replace("Z", "+00:00")).timestamp()
    whole(c["session"]), whole(c["seq"] if c["verb"] in ORDERS else 0)
    if c["verb"] == "RECEIVED": whole(c["eventSeq"])
    if c["verb"] == "START": uuid.UUID(c["runId"]), whole(c["maxDurationS"], 1, 86400)
    if c["verb"] in ("START", "SET"):
        c["settings"] = {SETTINGS[key]: value for key, value in c["params"].items() if key in SETTINGS}
        if c["settings"].get("direction", "FWD") not in ("FWD", "REV"): raise ValueError("direction")
        if not all(0 <= v <= 100 for k, v in c["settings"].items() if k != "direction"): raise ValueError("speed")
    return c

class Robot:
    def __init__(self, options):
        self.options, self.lock, self.online, self.start_seq, self.stop_at = options, threading.RLock(), False, -1, 0
        self.lost_at, self.state_seq, self.reported, self.reported_at, self.told_at = time.monotonic(), 0, None, 0, 0
        self.kept = {"session": int(time.time()), "eventSeq": int(time.time()), "lastSeq": 0, "lastCommandId": None,
                     "locked": False, "applied": {"direction": "FWD", "mainSpeed": 60, "brushSpeed": 50},
                     "events": [], "answers": {}, "run": None}
        if os.path.exists(options.memory): self.kept.update(json.load(open(options.memory)))
        if self.kept["run"]: self.halt("FAULT")  # the power went while it moved
    def save(self):  # what must survive power loss is on the disk before anybody is told of it
        with open(self.options.memory + ".next", "w") as f: json.dump(self.kept, f), f.flush(), os.fsync(f.fileno())
        os.replace(self.options.memory + ".next", self.options.memory)
    def publish(self, leaf, message, retain=False):
        if self.online: self.client.publish(f"scr/v1/{self.options.serial}/{leaf}", json.dumps(message), 1, retain)
    def connection(self, state): return {"v": 1, "state": state, "session": self.kept["session"], "ts": now()}
    def event(self, kind, run_id, **more):
        self.kept["eventSeq"] += 1
        event = {"eventSeq": self.kept["eventSeq"], "session": self.kept["session"], "ts": now(), "at": now(),
                 "kind": kind, "runId": run_id, "battery": 80, **more}
        self.kept["events"] = (self.kept["events"] + [event])[-200:]
        self.save()
        self.publish("event", event)
    def halt(self, reason):
        run, self.kept["run"] = self.kept["run"], None  # here the motors are switched off
        if run: self.event("RUN_ENDED", run, reason=reason)
    def refusal(self, c):
        verb, kept = c["verb"], self.kept  # old orders first, then what the robot cannot do now
        if verb == "STOP": return "OLD_SEQ" if c["session"] == kept["session"] and c["seq"] < self.start_seq else None
        if verb == "MAINTENANCE_ON": return None
        if c["session"] != kept["session"]: return "OLD_SESSION"
        if time.time() < CLOCK_SET_SINCE: return "CLOCK_NOT_SET"
        if time.time() >= c["expiry"]: return "EXPIRED"
        if c["seq"] <= kept["lastSeq"]: return "OLD_SEQ"
        if verb != "MAINTENANCE_OFF" and kept["locked"]: return "MAINTENANCE"
        return "BUSY" if verb == "START" and kept["run"] else None
    def act(self, c):
        verb, kept = c["verb"], self.kept
        kept["lastSeq"] = max(kept["lastSeq"], c["seq"])
        if verb.startswith("MAINTENANCE"): kept["locked"] = verb == "MAINTENANCE_ON"
        if verb in ("STOP", "MAINTENANCE_ON"): self.halt("STOP" if verb == "STOP" else "MAINTENANCE")
        if verb in ("START", "SET"): kept["applied"] = {**kept["applied"], **c["settings"]}
        if verb == "START":
            self.start_seq, self.stop_at = c["seq"], time.monotonic() + c["maxDurationS"]
            kept["run"] = c["runId"].lower()
            self.event("RUN_BEGAN", kept["run"])  # stored; here the motors are switched on
    def command(self, c):
        if c["verb"] == "RECEIVED":
            self.kept["events"] = [one for one in self.kept["events"] if one["eventSeq"] != c["eventSeq"]]
            return self.save()
        self.kept["lastCommandId"] = c["id"]
        if c["verb"] == "STATUS": return self.report(asked=True)
        answer = self.kept["answers"].get(c["id"])  # rule 5: answered again, done once
        if answer is None:
            code = self.refusal(c)
            if code is None: self.act(c)
            status = "REJECTED" if code else "ACCEPTED" if c["verb"] == "START" else "DONE"
            answer = {"id": c["id"], "status": status, "code": code}
            if c["verb"] != "STOP" or code is None:  # a STOP that was not taken is judged anew
                self.kept["answers"] = dict([*self.kept["answers"].items(), (c["id"], answer)][-100:])
            self.save()
        self.publish("ack", {**answer, "ts": now()})
        self.report()
    def report(self, asked=False):
        kept, moving = self.kept, self.kept["run"] is not None
        state = {"status": "start" if moving else "stop", "motion": "MOVING" if moving else "STOPPED",
                 "mode": "MAINTENANCE" if kept["locked"] else "AUTO", "battery": 80, "charging": False,
                 "runId": kept["run"], "firmware": "1.0.0", "alerts": [],
                 **{key: kept[key] for key in ("applied", "lastSeq", "lastCommandId")}}
        is_new = asked or state != self.reported or time.monotonic() - self.reported_at >= REPORT_S
        if not self.online or not is_new: return
        self.state_seq, self.reported, self.reported_at = self.state_seq + 1, state, time.monotonic()
        self.publish("state", {"seq": self.state_seq, "ts": now(), "session": kept["session"], **state}, retain=True)
    def on_message(self, _client, _userdata, message):
        if message.retain or len(message.payload) > LARGEST: return  # rule 1: what is retained is old
        try: command = checked(json.loads(message.payload))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError): return
        with self.lock: self.command(command)
    def on_subscribe(self, *_):  # it hears commands before it says that it is there
        with self.lock:
            self.online, self.state_seq, self.told_at = True, 0, float("-inf")
            self.publish("connection", self.connection("ONLINE"), retain=True)
            self.report(asked=True)
    def watch(self):  # rule 4: in a thread of its own, so that no connect holds it up
        while True:
            time.sleep(0.1)
            with self.lock:
                clock = time.monotonic()
                if self.kept["run"] and clock >= self.stop_at: self.halt("MAX_DURATION")
                if not self.online and clock - self.lost_at >= LINK_LOSS_S: self.halt("LINK_LOST")
                self.report()
                if not self.online or clock - self.told_at < REPEAT_S: continue
                self.told_at = clock
                for event in self.kept["events"]: self.publish("event", event)
    def connect(self):  # one session: raised and stored before it connects, with a will that names it
        with self.lock:
            self.kept["session"], self.start_seq = self.kept["session"] + 1, -1
            self.save()
        o, topic = self.options, f"scr/v1/{self.options.serial}/"
        api = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = client = mqtt.Client(*api, client_id=o.serial, clean_session=True)
        client.username_pw_set(o.serial, o.secret)
        if o.ca: client.tls_set(o.ca)
        client.will_set(topic + "connection", json.dumps(self.connection("CONNECTION_BROKEN")), 1, True)
        client.on_connect = lambda *_: client.subscribe(topic + "command", 1)
        client.on_subscribe, client.on_message = self.on_subscribe, self.on_message
        try:
            client.connect(o.host, o.port, keepalive=30)
            while client.loop(0.2) == mqtt.MQTT_ERR_SUCCESS: pass
        except OSError as error: print(f"{o.serial} cannot connect: {error}", file=sys.stderr)
        with self.lock:
            if self.online: self.lost_at = time.monotonic()
            self.online = False

parser = argparse.ArgumentParser()
for name in ("host", "serial", "secret", "memory"): parser.add_argument(f"--{name}", required=True)
parser.add_argument("--port", type=int, default=8883), parser.add_argument("--ca")
robot = Robot(parser.parse_args())
threading.Thread(target=robot.watch, daemon=True).start()
while True:
    robot.connect()
    time.sleep(random.uniform(1, 5))  # never more than one session a second
