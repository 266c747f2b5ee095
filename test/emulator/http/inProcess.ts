import { epochMs } from '../../../src/core/brand.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { OutcomeUnknownError } from '../../../src/core/errors.ts';
import { type Front, pass } from '../../../src/emulator/http/front.ts';
import type { VenueReply } from '../../../src/emulator/state/constants.ts';

type InProcessRequest = Readonly<{
  method: string;
  uri: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  nonce: string;
  limitMs: number;
  /** Receives a response that arrives after the limit. */
  late?: (reply: VenueReply) => void;
}>;

type InProcessOptions = Readonly<{ front: Front; clock: Clock; ip?: string }>;

/**
 * Transport of a venue client to an emulator in this process, without sockets. The clock is held while a request is
 * under way, as it is while bytes move on a socket. Throws `OutcomeUnknownError` for a broken connection and for a late
 * response; the request still arrives then.
 */
export function createInProcessTransport({ front, clock, ip = '127.0.0.1' }: InProcessOptions) {
  return {
    async send({
      method,
      uri,
      headers,
      body,
      nonce,
      limitMs,
      late: hear,
    }: InProcessRequest): Promise<VenueReply> {
      const release = clock.hold(nonce);
      let unlimit = release;
      let given = false;
      const late = new Promise<never>((_, reject) => {
        const expire = () => {
          given = true;
          reject(new OutcomeUnknownError(`no complete answer within ${limitMs / 1000} s`));
        };
        unlimit = clock.at(epochMs(clock.now() + limitMs), expire);
      });
      try {
        const answer = front({ method, uri, headers, body, ip }).then(async (reply) => {
          if (reply?.slowMs !== undefined) await pass(clock, nonce, reply.slowMs);
          if (given && reply) hear?.(reply);
          return reply;
        });
        const reply = await Promise.race([answer, late]);
        if (reply) return reply;
        throw new OutcomeUnknownError('the connection broke');
      } finally {
        unlimit();
        release();
      }
    },
  };
}
