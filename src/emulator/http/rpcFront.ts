import { z } from 'zod';
import { VirtualClock } from '../../core/virtualClock.ts';
import { refusalOf } from '../chain/clientWords.ts';
import { faceOf, NodeRefusal, RPC_CODES } from '../state/nodeFace.ts';
import { isNodeAtRisk } from '../faults/trigger.ts';
import { isProcessed, corrupt } from '../faults/corrupt.ts';
import type { MessageRule } from '../state/faultRules.ts';
import { type FrontOptions, pass, latencyMs } from './front.ts';
import { reads, SEND } from '../rpc/methods.ts';
import { data, parseParams } from '../rpc/params.ts';
import { recoverTransaction } from './recover.ts';
import type { VenueReply } from '../state/constants.ts';
import { orElse } from '../../core/errors.ts';

const BATCH_MAX = 100;

const request = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
type Request = z.output<typeof request>;

type Answer = Readonly<
  { jsonrpc: '2.0'; id: string | number | null } & (
    | { result: unknown }
    | { error: Readonly<{ code: number; message: string; data?: unknown }> }
  )
>;

/** Responds to a request to the node, a call or a batch, after its latency; null breaks the connection. */
export type RpcFront = (body: string) => Promise<VenueReply | null>;

/** Creates the node of the chain (JSON-RPC 2.0). Sent transactions are stored like requests to the venue. */
export function createRpcFront(options: FrontOptions): RpcFront {
  const { clock, latency, machine } = options;
  return async (body) => {
    if (clock instanceof VirtualClock) clock.touch();
    const asked = parse(body);
    const key = keyOf(asked);
    const half = latencyMs({ latency, seed: machine.state.seed, what: `rpc ${body}` }, clock.now()) / 2;
    await pass(clock, key, half);
    const rule = strikeAt(options, asked, body);
    if (rule?.kind === 'lost-request') return null;
    const reply = await replyTo(options, asked, rule);
    await pass(clock, key, half + (rule?.kind === 'delay' ? rule.ms : 0));
    return rule?.kind === 'lost-response' ? null : reply;
  };
}

/** The fault that the request triggers. Stored as an input, because rules count requests. */
function strikeAt({ machine, clock, keep }: FrontOptions, asked: unknown, body: string): MessageRule | null {
  if (!isNodeAtRisk(machine.state)) return null;
  const call = { method: firstIn(asked)?.method ?? 'other', body };
  const at = clock.now();
  keep({ at, kind: 'node', call });
  return machine.nodeFault(call, at);
}

const HEADERS = { 'content-type': 'application/json' };

async function replyTo(options: FrontOptions, asked: unknown, rule: MessageRule | null): Promise<VenueReply> {
  const isTaken = !rule || isProcessed(rule);
  const taken = isTaken ? await answerAll(options, asked) : null;
  const answers = rule ? await answersUnder(rule, { options, asked, taken }) : taken;
  const reply = { status: 200, headers: HEADERS, body: JSON.stringify(answers) };
  const around = { request: { headers: {} }, now: options.clock.now(), hashBefore: null, seed: '' };
  return rule ? corrupt(rule, reply, around) : reply;
}

type RpcCall = Readonly<{ options: FrontOptions; asked: unknown; taken: Answer | Answer[] | null }>;

/** Applies rules that change the node's answer, then those that change its bytes. */
async function answersUnder(
  rule: MessageRule,
  { options, asked, taken }: RpcCall,
): Promise<RpcCall['taken']> {
  if (rule.kind === 'busy-node') {
    const { state } = options.machine;
    const refusal = refusalOf(faceOf(state).client, rule.why, { block: 'latest' });
    return refusal && failed(firstIn(asked)?.id ?? null, refusal);
  }
  if (rule.kind !== 'duplicate') return taken;
  await pass(options.clock, keyOf(asked), rule.ms);
  const again = await answerAll(options, asked);
  return rule.heard === 'second' ? again : taken;
}

/** The call, or the first of a batch. */
const firstIn = (asked: unknown): Request | undefined =>
  request.safeParse(Array.isArray(asked) ? asked[0] : asked).data;

/** The key under which a caller holds the clock for its request: the id of the (first) call. */
const keyOf = (asked: unknown): string => String(firstIn(asked)?.id ?? '');

/** Parsed JSON; undefined for anything else. */
const parse = (body: string): unknown => orElse((): unknown => JSON.parse(body), undefined);

async function answerAll(options: FrontOptions, asked: unknown): Promise<Answer | Answer[]> {
  if (!Array.isArray(asked)) return answer(options, asked);
  if (asked.length === 0 || asked.length > BATCH_MAX)
    return failed(null, new NodeRefusal(asked.length ? 'batch too large' : 'empty batch', RPC_CODES.request));
  const answers: Answer[] = [];
  for (const each of asked) answers.push(await answer(options, each));
  return answers;
}

async function answer(options: FrontOptions, asked: unknown): Promise<Answer> {
  if (asked === undefined) return failed(null, new NodeRefusal('parse error', RPC_CODES.parse));
  const parsed = request.safeParse(asked);
  if (!parsed.success) return failed(null, new NodeRefusal('invalid request', RPC_CODES.request));
  try {
    return { jsonrpc: '2.0', id: parsed.data.id, result: await resultOf(options, parsed.data) };
  } catch (error) {
    if (error instanceof NodeRefusal) return failed(parsed.data.id, error);
    throw error;
  }
}

/** Response to input that never becomes a request to the node. */
export const nodeProtocolError = (status: number, why: string): VenueReply => ({
  status,
  headers: HEADERS,
  body: JSON.stringify(failed(null, new NodeRefusal(why, RPC_CODES.request))),
});

const failed = (id: string | number | null, { code, message, data }: NodeRefusal): Answer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== null && { data }) },
});

async function resultOf(options: FrontOptions, { method, params }: Request): Promise<unknown> {
  if (method === SEND) return send(options, params);
  const read = reads.get(method);
  if (!read) throw new NodeRefusal(`the method ${method} does not exist/is not available`, RPC_CODES.method);
  const { machine, clock } = options;
  return machine.read((venue, now) => read(venue, params, now), clock.now());
}

/** Sends a raw transaction. Its signer is recovered here, because that is asynchronous, and stored with the input. */
async function send({ machine, clock, keep }: FrontOptions, params: readonly unknown[]): Promise<string> {
  const [raw] = parseParams(z.tuple([data]).rest(z.unknown()), params);
  const transaction = await recoverTransaction(raw);
  const at = clock.now();
  keep({ at, kind: 'transaction', transaction });
  machine.accept(transaction, at);
  return transaction.hash;
}
