import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Aedes } from "aedes";
import pino from "pino";
import { expect, test } from "vitest";
import { openBroker } from "./broker.ts";

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
  const connected = () =>
    new Promise<void>((resolve) => {
      const stop = broker.onConnectionChange((is) => {
        if (!is) return;
        stop();
        resolve();
      });
      if (broker.connected) resolve();
    });
  await connected();

  const lost = broker.publish("scr/v1/SCR-1001/command", "old order").then(
    () => null,
    (error: unknown) => error,
  );
  await arrived.promise;
  for (const socket of sockets) socket.destroy();
  expect(await lost).toBeInstanceOf(Error);
  await connected();
  await broker.publish("scr/v1/SCR-1001/command", "new order");
  await secondArrived.promise;
  expect(received).toEqual(["old order", "new order"]);

  await broker.close();
  server.close();
  await new Promise<void>((resolve) => mqtt.close(resolve));
});
