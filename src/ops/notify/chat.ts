import { z } from 'zod';
import { messageOf, orElse } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { OperatorAnswer, OperatorCommand } from '../../domain/operator/command.ts';
import type { Daemon } from '../daemon.ts';
import {
  attempt,
  deliveryOf,
  reasonOf,
  type Delivery,
  type Http,
  type HttpAnswer,
  Outage,
  type OutageParts,
} from './delivery.ts';
import { plainText } from './message.ts';
import { telegramPost } from './senders.ts';
import type { Outbox } from './outbox.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';
import { newYorkMinute } from '../../calendar/index.ts';
import { SECOND_MS } from '../../core/brand.ts';
import { inTime } from '../../core/clock.ts';
import { parseSigned } from '../../core/amount.ts';
import { moneyText, signedMoney } from '../../domain/amountText.ts';
import type { Status } from '../model/status.ts';

/** Parts of a run available to a chat. */
export type ChatRun = Pick<Daemon, 'command' | 'status'>;

export type ChatOptions = OutageParts &
  Readonly<{
    token: string;
    /** Names of the chats that may give commands, by id. */
    chats: ReadonlyMap<string, string>;
    telegramApi: string;
    http: Http;
    outbox: Outbox;
    secrets: Secrets;
    run: ChatRun;
  }>;

const updatesSchema = z.object({
  result: z.array(
    z.object({
      update_id: z.number().int(),
      /** Omitted if malformed: one such message must not prevent the others from being read. */
      message: z
        .object({ date: z.number(), text: z.string().optional(), chat: z.object({ id: z.number() }) })
        .optional()
        .catch(undefined),
    }),
  ),
});
type Update = z.output<typeof updatesSchema>['result'][number];

/** Time in s that the service holds a poll open, and the maximum wait for its response in ms. */
const POLL_SECONDS = 25;
const POLL_MS = 40_000;
const REPLY_MS = 15_000;
/** Maximum number of updates in a response: that many of the longest, which anybody can send, fit into the size limit. */
const UPDATES_MAX = 10;
/** Maximum wait for the response to a command, in ms. */
const ANSWER_MS = 20_000;
/** Age in s after which a command is refused: it was sent while no run was listening. */
const OLD_SECONDS = 600;
/** Delay after a response without updates, in ms, and the maximum delay after a failure. */
const PAUSE_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;

const HELP = [
  '/status shows the run',
  '/pause stops all sending; open orders stay',
  '/halt stops all sending and cancels open orders',
  '/ack acknowledges all alarms, /ack ID one',
  'Nothing here resumes, sells or buys: `drover resume` does that on the machine',
].join('\n');

/** Chat commands. None of them lifts a restriction or places an order. */
const COMMANDS: Readonly<Record<string, (word: string) => OperatorCommand>> = {
  '/pause': () => ({ kind: 'trade', state: 'halted', scope: {} }),
  '/halt': () => ({ kind: 'trade', state: 'halted', scope: {}, cancel: true }),
  '/ack': (word) => ({ kind: 'acknowledge', ...(word === '' ? {} : { alarm: word }) }),
};

/**
 * Receives commands from Telegram chats by polling. Only listed chats get a response; all others are counted. A command's id is
 * derived from the update's number, so a repeated update has no effect.
 */
export class Chat {
  readonly #options: ChatOptions;
  readonly #end = new AbortController();
  readonly #offsetName: string;
  readonly #bot: string;
  #strangers = 0;
  readonly #outage: Outage;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#outage = new Outage(options, BACKOFF_MAX_MS);
    this.#bot = hashHex(options.token).slice(2, 10);
    this.#offsetName = `updates ${this.#bot}`;
  }

  /** Number of messages from unlisted chats. */
  get strangers(): number {
    return this.#strangers;
  }

  async run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#end.signal.aborted) {
      const wait = await this.#poll();
      if (wait > 0) await clock.sleep(wait, this.#end.signal).catch(() => undefined);
    }
  }

  stop(): void {
    this.#end.abort();
  }

  /** Polls once and processes the updates. Returns the delay until the next poll, in ms. */
  async #poll(): Promise<number> {
    const { telegramApi, token, outbox, http } = this.#options;
    const offset = outbox.value(this.#offsetName) ?? '0';
    const query = `timeout=${POLL_SECONDS}&limit=${UPDATES_MAX}&offset=${offset}&allowed_updates=${encodeURIComponent('["message"]')}`;
    const url = `${telegramApi}/bot${token}/getUpdates?${query}`;
    let updates: readonly Update[] = [];
    const delivery = await this.#within(POLL_MS, async (signal) => {
      const answer = await http({ method: 'GET', url, signal });
      const outcome = deliveryOf(answer, this.#options.clock.now());
      const read = outcome.ok ? updatesIn(answer) : [];
      if (read === null) return { ok: false, reason: 'its answer cannot be read' };
      updates = read;
      return outcome;
    });
    if (!delivery.ok) return this.#failed(delivery);
    this.#outage.end();
    for (const update of updates) {
      await this.#take(update);
      outbox.setValue(this.#offsetName, String(update.update_id + 1));
      outbox.flush();
    }
    return updates.length === 0 ? PAUSE_MS : 0;
  }

  async #take({ update_id: number, message }: Update): Promise<void> {
    if (!message) return;
    const { chats, clock, secrets } = this.#options;
    const chat = String(message.chat.id);
    const name = chats.get(chat);
    if (name === undefined) {
      this.#strangers++;
      return;
    }
    const isOld = clock.now() / SECOND_MS - message.date > OLD_SECONDS;
    const content = message.text ?? '';
    const text = isOld
      ? 'This came more than 10 minutes after it was written. Nothing was done: send it again if it still holds'
      : await this.#answer(content, { name, number });
    await this.#within(REPLY_MS, async (signal) => {
      const post = telegramPost(
        this.#options.telegramApi,
        { token: this.#options.token, chat },
        plainText(text, secrets),
      );
      return deliveryOf(await this.#options.http({ method: 'POST', ...post, signal }), clock.now());
    });
  }

  async #answer(content: string, from: Readonly<{ name: string; number: number }>): Promise<string> {
    const [word = '', argument = ''] = content.trim().split(/\s+/);
    const verb = word.replace(/@\w+$/, '').toLowerCase();
    if (verb === '/status') return this.#status();
    if (verb === '/help' || verb === '/start') return HELP;
    const command = COMMANDS[verb];
    if (command === undefined) return `This is not a command here, and nothing was done. Commands:\n${HELP}`;
    return this.#give(command(argument), from);
  }

  #status(): string {
    try {
      return chatStatus(this.#options.run.status());
    } catch (error) {
      return `The status cannot be shown: ${messageOf(error)}. Look at it on the machine: \`drover status\``;
    }
  }

  async #give(
    command: OperatorCommand,
    { name, number }: Readonly<{ name: string; number: number }>,
  ): Promise<string> {
    const { run, clock } = this.#options;
    const request = {
      id: `telegram-${this.#bot}-${number}` as CommandId,
      by: `telegram:${name}`,
      reason: 'by chat',
      command,
    };
    try {
      return textOf(await inTime(ANSWER_MS, clock, () => run.command(request)));
    } catch (error) {
      return `Unknown whether it was done: ${messageOf(error)}. Check with /status`;
    }
  }

  #within(ms: number, work: (signal: AbortSignal) => Promise<Delivery>): Promise<Delivery> {
    const caught = (signal: AbortSignal) =>
      work(signal).catch((error: unknown): Delivery => ({ ok: false, reason: reasonOf(error) }));
    return attempt(caught, { clock: this.#options.clock, ms, stop: this.#end.signal });
  }

  #failed({ reason, retryAfterMs = 0 }: Extract<Delivery, { ok: false }>): number {
    if (this.#end.signal.aborted) return 0;
    return Math.max(this.#outage.add(reason, retryAfterMs), retryAfterMs);
  }
}

const textOf = (answer: OperatorAnswer | null): string => {
  if (answer === null) return 'Not answered yet: the run continues with it. Check with /status';
  return answer.kind === 'done' ? `Done: ${answer.text}` : `Refused: ${answer.text}. Nothing was changed`;
};

/** Updates in a response; null if it is not the service's. */
const updatesIn = ({ body }: HttpAnswer): readonly Update[] | null =>
  orElse(() => updatesSchema.parse(JSON.parse(body)).result, null);

/** Maximum number of strategies and alarms shown in a chat. */
const LINES_MAX = 8;

const money = (text: string): string => moneyText(parseSigned(text));
const profit = (text: string): string => signedMoney(parseSigned(text));

/** The state of a run in a few lines, for a chat. Amounts in cents. */
export function chatStatus(status: Status): string {
  const { mode, state, ready, session, equity, cash, pnl, strategies, orders, waiting, unknown } = status;
  const alarms = status.alarms.filter(({ acknowledged }) => !acknowledged);
  const reason = state.reason === '' ? '' : ` (${state.reason})`;
  return [
    `${mode}: trading ${state.trading}${reason}, ${ready ? 'ready' : 'NOT ready'}`,
    `${session.date === null ? 'no session' : `session ${session.date}`}, ${session.phase}; it is ${newYorkMinute(Date.parse(status.now))} in New York`,
    `equity ${money(equity)} mUSD, cash ${money(cash)}, today ${profit(pnl.today)}${status.unallocated.positions.length > 0 ? ' of the strategies' : ''}`,
    ...strategies
      .slice(0, LINES_MAX)
      .map(
        (each) => `${each.id}: ${each.state}, equity ${money(each.equity)}, today ${profit(each.pnl.today)}`,
      ),
    `open orders ${orders.length}, waiting ${waiting.length}, held ${status.heldOrders.length}, without an answer ${unknown}`,
    ...(status.differences.length > 0 ? [`differences ${status.differences.length}`] : []),
    ...alarms.slice(0, LINES_MAX).map(({ id, text }) => `alarm ${id}: ${text}`),
  ].join('\n');
}
