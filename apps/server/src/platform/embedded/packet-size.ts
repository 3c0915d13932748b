import type { Socket } from "node:net";

/**
 * Cuts a connection as soon as it announces an MQTT packet of more than `maxBytes`, before the packet is gathered in
 * memory (protocol rule 10). The broker's own parser would take 256 MB from anybody, signed in or not.
 */
export function limitPacketSize(socket: Socket, maxBytes: number, onOversized: () => void): void {
  const tooLarge = packetMeter(maxBytes);
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!(chunk instanceof Buffer) || !tooLarge(chunk)) return chunk;
    onOversized();
    socket.destroy();
    return null;
  };
}

/** Follows the borders of packets in a stream: one byte of kind, one to four of length, then the rest. */
export function packetMeter(maxBytes: number): (chunk: Buffer) => boolean {
  let rest = 0;
  let lengthBytes = -1;
  let length = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (rest > 0) {
        const taken = Math.min(rest, chunk.length - at);
        rest -= taken;
        at += taken;
      } else if (lengthBytes < 0) {
        lengthBytes = 0;
        length = 0;
        at += 1;
      } else {
        const byte = chunk[at] ?? 0;
        length += (byte & 0x7f) * 128 ** lengthBytes;
        lengthBytes += 1;
        at += 1;
        if (length > maxBytes || lengthBytes > 4) return true;
        if ((byte & 0x80) === 0) {
          rest = length;
          lengthBytes = -1;
        }
      }
    }
    return false;
  };
}
