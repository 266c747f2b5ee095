import { connect, createServer, type Socket } from 'node:net';

/** Fate of a transaction that a client commits: it passes, is lost before the server has it, or its response is lost. */
export type CommitFate = 'pass' | 'lost' | 'unanswered';

/** Stands between clients and a server, and disturbs the traffic. */
export interface Relay {
  readonly port: number;
  /** Commits that did not simply pass. */
  readonly cut: number;
  /** Holds everything back, in both directions, until `flow`. */
  stall(): void;
  flow(): void;
  close(): Promise<void>;
}

/** @param fateOf of each commit by its number, from 1 */
export async function startRelay(
  target: number,
  fateOf: (commit: number) => CommitFate = () => 'pass',
): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let [commits, cut, isStalled] = [0, 0, false];
  const server = createServer((client) => {
    const onward = connect(target, '127.0.0.1');
    const pair = [client, onward] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      onward.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    client.on('data', (chunk) => {
      const fate = chunk.includes('COMMIT\0') ? fateOf(++commits) : 'pass';
      if (fate !== 'pass') cut++;
      if (fate === 'lost') return end();
      onward.write(chunk);
      if (fate === 'unanswered') onward.removeAllListeners('data').once('data', end);
    });
    onward.on('data', (chunk) => void client.write(chunk));
    if (isStalled) pair.forEach((socket) => socket.pause());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get cut() {
      return cut;
    },
    stall() {
      isStalled = true;
      for (const pair of pairs) pair.forEach((socket) => socket.pause());
    },
    flow() {
      isStalled = false;
      for (const pair of pairs) pair.forEach((socket) => socket.resume());
    },
    close() {
      for (const pair of pairs) pair.forEach((socket) => socket.destroy());
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
