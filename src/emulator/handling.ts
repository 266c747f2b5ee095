import { epochMs, type EpochMs } from '../core/brand.ts';
import { authenticate, splitAt, type VenueRequest } from './auth.ts';
import { waylay } from './chain/waylay.ts';
import { inPresentWords } from './constants.ts';
import { isProcessed, limited, spoil, strike, type MessageRule, type Target } from './faults/index.ts';
import { notFound, Refusal } from './refusal.ts';
import { refused, success, unauthorized, uuidOf, type VenueReply } from './reply.ts';
import { findRoute, type Match, type Recovered } from './routes/index.ts';
import type { Hex, RequestCount, State } from './state.ts';
import { schedule, type World } from './world.ts';

/** A request with what only its carrier could work out. `again`: a copy of it, or itself after a delay on the way. */
export type Arrival = Readonly<{ request: VenueRequest; recovered: Recovered | null; again?: true }>;

/** What leaves the venue, and how much later than usual. Without a reply the connection breaks. */
export type Outcome = Readonly<{ reply: VenueReply | null; delayMs: number }>;

const BROKEN: Outcome = { reply: null, delayMs: 0 };

/** Answers one request, with the faults that strike it. */
export function handleArrival(world: World, arrival: Arrival, now: EpochMs): Outcome {
  const { request, recovered } = arrival;
  const match = findRoute(request.method, splitAt(request.uri, '?')[0]);
  const endpoint = match ? `${match.route.method} ${match.route.path}` : 'other';
  const what = `${request.method} ${request.uri} ${request.body}`;
  const target: Target = { on: 'venue', endpoint, what };
  const rule = arrival.again ? null : strike(world.state, target, 'message');
  if (rule?.kind === 'lost-request') return BROKEN;
  if (rule?.kind === 'late-request') {
    comeAgain(world, arrival, now + rule.ms);
    return BROKEN;
  }
  const taking = { request, recovered, match, target, rule };
  const reply = take(world, taking, now);
  if (rule?.kind === 'lost-response') return BROKEN;
  if (!arrival.again) countOf(world.state, endpoint).answered++;
  if (rule?.kind === 'delay') return { reply, delayMs: rule.ms };
  if (rule?.kind !== 'duplicate') return { reply, delayMs: 0 };
  if (rule.heard === 'second')
    return { reply: take(world, { ...taking, rule: null }, now), delayMs: rule.ms };
  comeAgain(world, arrival, now + rule.ms);
  return { reply, delayMs: 0 };
}

/** What it then gets, nobody hears. */
function comeAgain({ state }: World, arrival: Arrival, due: number): void {
  schedule(state, { due: epochMs(due), kind: 'arrival', arrival: { ...arrival, again: true } });
}

function countOf({ requests }: State, endpoint: string): RequestCount {
  return (requests[endpoint] ??= { received: 0, accepted: 0, answered: 0 });
}

type Taking = Omit<Arrival, 'again'> &
  Readonly<{ match: Match | null; target: Target; rule: MessageRule | null }>;

/** The request has come to the venue. */
function take(world: World, taking: Taking, now: EpochMs): VenueReply {
  const { state } = world;
  const { request, rule, target } = taking;
  const count = countOf(state, target.endpoint);
  count.received++;
  const told = epochMs(now + state.clockOffsetMs);
  const refusal = limited(state, now);
  if (refusal) return refusal;
  const hashBefore = rule?.kind === 'other-hash' ? lastHashOf(state, request) : null;
  const seed = `${state.seed} ${now} ${target.what}`;
  const around = { request, now: told, hashBefore, seed };
  if (rule && !isProcessed(rule)) return spoil(rule, unauthorized(told), around);
  const sent = state.transactions.length;
  const reply = inPresentWords(answer(world, taking, { now, told }), state.constants);
  const transaction = state.transactions[sent];
  if (transaction) waylay(world, { transaction, target }, now);
  if (reply.status === 200) count.accepted++;
  return rule ? spoil(rule, reply, around) : reply;
}

const lastHashOf = ({ mappings }: State, { headers }: VenueRequest): Hex | null =>
  mappings.findLast(({ apiKey }) => apiKey === headers['x-api-key'])?.txHash ?? null;

/** `told`: the time as the venue has it. */
type Times = Readonly<{ now: EpochMs; told: EpochMs }>;

function answer(world: World, taking: Taking, { now, told }: Times): VenueReply {
  const { request, recovered, match, rule } = taking;
  const key = authenticate(world, request, told);
  if (!key) return unauthorized(told);
  const uuid = uuidOf(`${key.apiKey} ${request.headers['x-api-nonce'] ?? ''}`);
  try {
    if (!match) throw notFound(`no endpoint ${request.method} ${splitAt(request.uri, '?')[0].slice(0, 200)}`);
    const query = new URLSearchParams(splitAt(request.uri, '?')[1]);
    const { route, path } = match;
    const disorder = rule?.kind === 'list' ? rule : null;
    const context = { world, now, key, path, query, body: request.body, uuid, recovered, disorder };
    return success(route.handle(context), uuid, told);
  } catch (error) {
    if (error instanceof Refusal) return refused(error, uuid, told);
    throw error;
  }
}
