import type { Server, Socket } from 'node:net';

/** Most connections that have shown no right to look yet: the oldest of them makes room for a new one. */
const STRANGERS_MAX = 100;
/** Most connections of a listener: more are closed as they come, so that the run keeps its files. */
const CONNECTIONS_MAX = 200;

/**
 * Connections of a listener. Those that only keep a place, idle or byte by byte, take it from each other, and from nobody who has shown
 * a right to look.
 */
export class Connections {
  /** Connections without a caller that is known, the oldest first. */
  readonly #strangers = new Set<Socket>();

  constructor(server: Server) {
    server.maxConnections = CONNECTIONS_MAX;
    server.on('connection', (socket) => this.#add(socket));
  }

  /** Notes that a known caller uses a connection. */
  admit(socket: Socket): void {
    this.#strangers.delete(socket);
  }

  #add(socket: Socket): void {
    const [oldest] = this.#strangers;
    if (oldest && this.#strangers.size >= STRANGERS_MAX) {
      this.#strangers.delete(oldest);
      oldest.destroy();
    }
    this.#strangers.add(socket);
    socket.once('close', () => this.#strangers.delete(socket));
  }
}
