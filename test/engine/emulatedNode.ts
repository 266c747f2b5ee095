import type { z } from 'zod';
import type { Clock } from '../../src/core/clock.ts';
import { OutcomeUnknownError, UnreachableError, VenueRefusedError } from '../../src/core/errors.ts';
import type { RpcFront } from '../../src/emulator/http/rpcFront.ts';
import type { Rpc } from '../../src/wallet/rpc.ts';

/** `before`: the bytes never arrive; `after`: the node has them, and its answer is lost; `unconnected`: nothing leaves. */
type Loss = 'before' | 'after' | 'unconnected';

/** The emulated chain's node, called in this process. */
export class EmulatedNode implements Rpc {
  /** Every signed text offered so far. */
  readonly offered: string[] = [];
  /** Losses of the next offers. */
  readonly losses: Loss[] = [];
  /** Runs before bytes are offered. */
  onOffer: () => void = () => undefined;
  readonly #front: RpcFront;
  readonly #clock: Clock;
  #asked = 0;

  constructor(front: RpcFront, clock: Clock) {
    this.#front = front;
    this.#clock = clock;
  }

  async ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T> {
    const id = `rpc-${++this.#asked}`;
    const release = this.#clock.hold(id);
    try {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const reply = await this.#front(body);
      if (!reply) throw new OutcomeUnknownError('the connection broke');
      const { result, error } = JSON.parse(reply.body) as Answer;
      if (error) throw new VenueRefusedError(error.message, { code: error.code });
      return shape.parse(result);
    } finally {
      release();
    }
  }

  async askOnce<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T> {
    this.onOffer();
    this.offered.push(String(params[0]));
    const loss = this.losses.shift();
    if (loss === 'unconnected') throw new UnreachableError('nothing was sent');
    if (loss === 'before') throw new OutcomeUnknownError('reset');
    const answer = await this.ask(method, params, shape);
    if (loss === 'after') throw new OutcomeUnknownError('reset');
    return answer;
  }

  ready = () => Promise.resolve();
  close = () => Promise.resolve();
}

type Answer = Readonly<{ result?: unknown; error?: Readonly<{ code: number; message: string }> }>;
