import type { RawResponse, Transport, TransportRequest } from '../../src/api/transport.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import { OutcomeUnknownError, UnreachableError } from '../../src/core/errors.ts';
import type { Random } from '../../src/core/random.ts';
import type { VirtualClock } from '../../src/core/virtualClock.ts';
import type { Life } from './life.ts';
import type { NetworkFault, Plan } from './plan.ts';
import type { Counters } from './sometimes.ts';
import { Spoiler, type Spoiled } from './spoil.ts';

export type NetworkParts = Readonly<{
  plan: Plan;
  time: VirtualClock;
  random: Random;
  sometimes: Counters;
  /** Events of the network without its faults. */
  wire: Transport;
  /** True when the venue has accepted the request with this nonce. */
  isAccepted: (nonce: string) => boolean;
  tell: (text: string) => void;
  /** Called when the first byte of a send leaves. */
  onSend: (request: TransportRequest) => void;
  /** Called when the runner receives a response that it can read completely; `begun`: time at which its request left. */
  onAnswer: (request: TransportRequest, answer: RawResponse, begun: EpochMs) => void;
}>;

/** Longest time for which a lost request or response keeps the runner waiting before the connection breaks. */
const BREAK_MS = 30_000;

/** True for orders and cancels; calldata and links change nothing. */
const isSent = ({ method, uri }: TransportRequest): boolean => method !== 'GET' && /\/send(\?|$)/.test(uri);

/** The network between one process and the venue: it loses, delays, repeats and corrupts. */
export class Network {
  readonly #parts: NetworkParts;
  readonly #spoiler: Spoiler;
  /** End of the time in which nothing gets through. */
  outageUntil = -Infinity;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
    this.#spoiler = new Spoiler(parts.random, parts.sometimes, parts.plan.rates.has('vanished'));
  }

  transport(life: Life): Transport {
    return { send: (request) => this.#send(request, life) };
  }

  async #send(request: TransportRequest, life: Life): Promise<RawResponse> {
    const isSend = isSent(request);
    await life.awake();
    if (life.passes('beforeRequest', isSend)) await life.awake();
    if (isSend) this.#parts.onSend(request);
    const begun = this.#parts.time.now();
    let answer: RawResponse | null = null;
    let failure: unknown;
    try {
      answer = await this.#carry(request, this.#draw(isSend));
    } catch (error) {
      failure = error;
    }
    await life.awake();
    if (life.passes('beforeAnswer', isSend)) await life.awake();
    if (!answer) throw failure;
    this.#parts.onAnswer(request, answer, begun);
    return answer;
  }

  #draw(isSend: boolean): NetworkFault | null {
    const { plan, time, random } = this.#parts;
    if (time.now() < this.outageUntil) return random.next() < 0.5 ? 'requestLost' : 'requestUnsent';
    if (time.now() >= plan.healAt) return null;
    for (const [fault, rate] of plan.rates)
      if (random.next() < (isSend ? rate.send : rate.read)) return fault;
    return null;
  }

  async #carry(request: TransportRequest, fault: NetworkFault | null): Promise<RawResponse> {
    if (fault === null) return this.#passed(request);
    const { sometimes, time, random, wire, isAccepted, tell } = this.#parts;
    if (request.method !== 'GET' || fault === 'vanished') tell(`${fault}: ${request.method} ${request.uri}`);
    const brokenAfter = async (ms: number): Promise<never> => {
      await time.sleep(Math.min(ms, request.limitMs));
      throw new OutcomeUnknownError('the connection broke');
    };
    switch (fault) {
      case 'requestLost':
        sometimes.requestLost++;
        return brokenAfter(BREAK_MS * random.next());
      case 'requestUnsent':
        sometimes.requestUnsent++;
        throw new UnreachableError('connection refused');
      case 'responseLost':
        await wire.send(request).catch(() => undefined);
        if (isAccepted(request.nonce)) sometimes.responseLostAfterAcceptance++;
        return brokenAfter(BREAK_MS * random.next());
      case 'responseLate':
        sometimes.responseLate++;
        void wire.send(request).catch(() => undefined);
        return brokenAfter(request.limitMs);
      case 'requestLate': {
        sometimes.requestLate++;
        const late = random.next() * 70_000;
        time.at((time.now() + late) as never, () => void wire.send(request).catch(() => undefined));
        return brokenAfter(request.limitMs);
      }
      case 'duplicated':
        return this.#twice(request);
      case 'unauthorized':
        return this.#unauthorized(request);
      default:
        return this.#spoiled(request, fault);
    }
  }

  async #passed(request: TransportRequest): Promise<RawResponse> {
    const answer = await this.#parts.wire.send(request);
    return this.#parts.plan.rates.size === 0 ? answer : this.#spoiler.pass(answer, this.#of(request));
  }

  #of({ uri, nonce }: TransportRequest) {
    return { uri, accepted: this.#parts.isAccepted(nonce), now: this.#parts.time.now() };
  }

  /** Delivers a request twice. The first arrival is answered; the response to the second is lost. */
  async #twice(request: TransportRequest): Promise<RawResponse> {
    const { wire, sometimes, time, random } = this.#parts;
    sometimes.requestDuplicated++;
    const first = wire.send(request);
    await Promise.race([first.catch(() => undefined), time.sleep(40 * random.next())]);
    void wire.send(request).then(
      ({ body }) => {
        if (body.includes('unauthorized')) sometimes.nonceReplay++;
      },
      () => undefined,
    );
    return first;
  }

  /** Sends the request with an invalid signature: the venue refuses it and does nothing. */
  async #unauthorized(request: TransportRequest): Promise<RawResponse> {
    const { wire, sometimes } = this.#parts;
    sometimes.unauthorized++;
    return wire.send({ ...request, headers: { ...request.headers, 'x-api-sign': '0'.repeat(64) } });
  }

  async #spoiled(request: TransportRequest, fault: Spoiled): Promise<RawResponse> {
    const { wire, random } = this.#parts;
    const isBefore =
      (fault === 'serverError' || fault === 'limited' || fault === 'html') && random.next() < 0.5;
    const answer: RawResponse = isBefore ? { status: 200, headers: {}, body: '' } : await wire.send(request);
    return this.#spoiler.spoil(this.#spoiler.pass(answer, this.#of(request)), fault, this.#of(request));
  }
}
