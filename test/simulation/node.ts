import { keccak256 } from 'viem/utils';
import type { VirtualClock } from '../../src/core/virtualClock.ts';
import { createInProcessTransport } from '../emulator/http/inProcess.ts';
import type { RpcFront } from '../../src/emulator/http/rpcFront.ts';
import type { RpcCarrier } from '../../src/wallet/rpc.ts';
import type { Life } from './life.ts';
import type { Multipliers } from './multipliers.ts';

export type NodeParts = Readonly<{
  front: RpcFront;
  time: VirtualClock;
  life: Life;
  multipliers: Multipliers;
  /** Prefix that distinguishes the requests of one process from those of another. */
  name: string;
  isOut: () => boolean;
  /** Called when the first byte of a transaction leaves. */
  onSend: (txHash: string) => void;
  /** Called when the node has answered. */
  onAnswer: (body: string, answer: string) => void;
}>;

const LIMIT_MS = 10_000;
const SENT = /"method":"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"/;

/** The network between one process and the node of the chain, which corrupts answers by itself. */
export function nodeCarrier(parts: NodeParts): RpcCarrier {
  const { front, time, life, multipliers, name, isOut, onSend, onAnswer } = parts;
  const wire = createInProcessTransport({ front: ({ body }) => front(body), clock: time });
  return {
    async post({ id, body }) {
      const raw = SENT.exec(body)?.[1];
      await life.awake();
      if (life.passes('beforeRequest', raw !== undefined)) await life.awake();
      if (raw !== undefined) onSend(keccak256(raw as `0x${string}`));
      const key = `${name} ${id}`;
      const request = { method: 'POST', uri: '/', headers: {}, nonce: key, limitMs: LIMIT_MS };
      const answer = isOut()
        ? new Error('the connection broke')
        : await wire
            .send({ ...request, body: body.replace(`"${id}"`, `"${key}"`) })
            .catch((error: unknown) => error);
      if (!(answer instanceof Error)) onAnswer(body, (answer as { body: string }).body);
      await life.awake();
      if (life.passes('beforeAnswer', raw !== undefined)) await life.awake();
      if (answer instanceof Error) throw answer;
      const told = multipliers.told(body, (answer as { body: string }).body);
      if (told !== null) return told.replace(`"${key}"`, `"${id}"`);
      await time.sleep(LIMIT_MS);
      throw new Error('the node does not answer');
    },
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
