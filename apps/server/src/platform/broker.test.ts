import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Aedes } from "aedes";
import pino from "pino";
import { expect, test } from "vitest";
import { type Broker, openBroker } from "./broker.ts";

const connected = (broker: Broker) =>
  new Promise<void>((resolve) => {
    const stop = broker.onConnectionChange((is) => {
      if (!is) return;
      stop();
      resolve();
    });
    if (broker.connected) resolve();
  });

test("protocol rule 5: a message that the broker had not acknowledged when the connection broke is not resent by itself", async () => {
  const mqtt = await Aedes.createBroker();
  const received: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const secondArrived = Promise.withResolvers<void>();
  mqtt.authorizePublish = (_client, packet, callback) => {
    received.push(packet.payload.toString());
    if (packet.payload.toString() !== "old order") {
      callback(null);
      secondArrived.resolve();
      return;
    }
    // Never called back: the publisher gets no acknowledgement.
    arrived.resolve();
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    mqtt.handle(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const broker = openBroker({ url: `mqtt://127.0.0.1:${port}`, clientId: "server", log: pino({ level: "silent" }) });
  await connected(broker);

  const lost = broker.publish("scr/v1/SCR-1001/command", "old order").then(
    () => null,
    (error: unknown) => error,
  );
  await arrived.promise;
  for (const socket of sockets) socket.destroy();
  expect(await lost).toBeInstanceOf(Error);
  await connected(broker);
  await broker.publish("scr/v1/SCR-1001/command", "new order");
  await secondArrived.promise;
  expect(received).toEqual(["old order", "new order"]);

  await broker.close();
  server.close();
  await new Promise<void>((resolve) => mqtt.close(resolve));
});

test("protocol rule 11: what the broker retains is read over a connection of its own, which is not tried again once it ends", async () => {
  const mqtt = await Aedes.createBroker();
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    mqtt.handle(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const broker = openBroker({ url: `mqtt://127.0.0.1:${port}`, clientId: "server", log: pino({ level: "silent" }) });
  await connected(broker);
  const read = (onMessage: (text: string) => void, onLost: () => void = () => {}) => {
    if (broker.readRetained === undefined) throw new Error("It has no other connection.");
    return broker.readRetained(["robots/+/state"], ({ payload }) => onMessage(payload.toString()), onLost);
  };
  await broker.publish("robots/1/state", "retained", { retain: true });

  const texts: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const live = Promise.withResolvers<void>();
  await broker.subscribe(["robots/+/state"], ({ retained }) => {
    if (!retained) live.resolve();
  });
  const end = await read((text) => {
    texts.push(text);
    arrived.resolve();
  });
  await arrived.promise;
  await broker.publish("robots/1/state", "live");
  await live.promise;
  const ended = once(mqtt, "clientDisconnect");
  await end();
  await ended;
  expect(texts).toEqual(["retained"]);

  const lost = Promise.withResolvers<void>();
  await read(
    () => {},
    () => lost.resolve(),
  );
  sockets.at(-1)?.destroy();
  await lost.promise;
  expect(broker.connected).toBe(true);

  server.close();
  await expect(read(() => {})).rejects.toThrow("ended");
  await broker.close();
  await new Promise<void>((resolve) => mqtt.close(resolve));
});
