import { toIso } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import type { JournalEvent } from '../domain/journalEvent.ts';
import { decode, encode, quotesOf, quotesText, type Line } from './codec.ts';

/*
 * Rows of the journal keep the names under which they were first written: sums cover them, and older versions read them. Here
 * stands every name that is another one today. Only the named fields are renamed: never a value, and nothing inside a strategy's
 * state, params, assumptions or a row of the venue.
 */

type Kind = JournalEvent['kind'];
type Item<T> = T extends readonly (infer I)[] ? I : T;

/** Stored name of each renamed field, with `fields` of the objects in it, or in its list. */
type StoredFields<T> = {
  readonly [F in keyof T]?: string | readonly [stored: string, fields: StoredFields<Item<T[F]>>];
};

/** Stored kind and fields of each kind that now has others; all other kinds are stored unchanged. */
type StoredNames = {
  readonly [K in Kind]?: Readonly<{
    kind?: string;
    fields?: StoredFields<Extract<JournalEvent, { kind: K }>>;
  }>;
};

const INTENT = { strategyId: 'owner', terms: 'want' } as const;
const STRATEGY = { fields: { strategyId: 'owner' } } as const;

const STORED: StoredNames = {
  allocated: STRATEGY,
  intentCreated: { kind: 'wished', fields: { intent: ['wish', INTENT] } },
  intentDeferred: { kind: 'wishMoved' },
  intentEnded: { kind: 'wishEnded' },
  balanceAccepted: { kind: 'adopted', ...STRATEGY },
  fillDelivered: { kind: 'told' },
  planned: { fields: { order: ['order', { intentId: 'wish', strategyId: 'owner' }] } },
  split: { fields: { intents: ['wishes', INTENT] } },
  strategyStarted: STRATEGY,
  strategyState: STRATEGY,
  strategyStopped: STRATEGY,
  timer: STRATEGY,
  transfer: { kind: 'operation' },
  transferPlanned: { kind: 'operationPlanned', fields: { transfer: ['operation', { strategyId: 'owner' }] } },
  writtenOff: STRATEGY,
};

/** Journal event under stored names, with the fields in their order. */
export function storedEvent(event: JournalEvent): Readonly<Record<string, unknown>> {
  const renaming = TO_STORED.get(event.kind);
  return renaming === undefined ? event : renamedEvent(event, renaming);
}

export const storedKind = (kind: Kind): string => TO_STORED.get(kind)?.kind ?? kind;

/** Record of an entry for programs: its number, its time as ISO, and its event under stored names. */
export const recordOf = ({ seq, at, fact }: Line): Readonly<Record<string, unknown>> => ({
  seq,
  at: toIso(at),
  ...storedEvent(fact),
});

/** Body of an event's row. */
export const encodeEvent = (event: JournalEvent): string =>
  encode(event.kind === 'quotes' ? quotesText(event) : storedEvent(event));

/** Event of a row's body. @throws {SyntaxError} when the body is not JSON */
export function decodeEvent(body: string): JournalEvent {
  const stored = decode(body);
  return typeof stored === 'string' ? quotesOf(stored) : currentEvent(stored);
}

/**
 * Stored event under current names, with the fields in their order.
 * @throws {InvalidValueError} for a current kind name that was never stored
 */
export function currentEvent(stored: unknown): JournalEvent {
  const event = stored as JournalEvent;
  if (TO_STORED.has(event.kind) && !FROM_STORED.has(event.kind))
    throw new InvalidValueError(`${event.kind} is not a known kind of stored event`);
  const renaming = FROM_STORED.get(event.kind);
  return renaming === undefined ? event : (renamedEvent(event, renaming) as JournalEvent);
}

type Parts = Record<string, unknown>;
/** Other name of a field, and those of the fields inside it. */
type Fields = ReadonlyMap<string, Readonly<{ name: string; fields: Fields | null }>>;
type EventNames = Readonly<{ kind: string; fields: Fields }>;

function renamedEvent(event: JournalEvent, { kind, fields }: EventNames): Parts {
  const result = renamedFields(event, fields);
  result['kind'] = kind;
  return result;
}

/** Only own entries, so that a stored `__proto__` stays a field. */
const renamedFields = (parts: object, fields: Fields): Parts =>
  Object.fromEntries(
    Object.entries(parts).map(([field, value]: [string, unknown]) => {
      const renaming = fields.get(field);
      if (renaming === undefined) return [field, value];
      return [renaming.name, renaming.fields === null ? value : renamedValue(value, renaming.fields)];
    }),
  );

function renamedValue(value: unknown, fields: Fields): unknown {
  if (Array.isArray(value)) return value.map((item) => renamedValue(item, fields));
  return typeof value === 'object' && value !== null ? renamedFields(value, fields) : value;
}

function renamings(direction: 'toStored' | 'fromStored'): ReadonlyMap<string, EventNames> {
  const toStored = direction === 'toStored';
  return new Map(
    Object.entries(STORED).map(([current, { kind: stored = current, fields = {} }]) => {
      const [from, to] = toStored ? [current, stored] : [stored, current];
      return [from, { kind: to, fields: fieldsOf(fields, toStored) }];
    }),
  );
}

function fieldsOf(names: object, toStored: boolean): Fields {
  return new Map(
    Object.entries(names).map(([current, name]: [string, string | readonly [string, object]]) => {
      const [stored, inner] = typeof name === 'string' ? [name, null] : name;
      const [from, to] = toStored ? [current, stored] : [stored, current];
      return [from, { name: to, fields: inner && fieldsOf(inner, toStored) }];
    }),
  );
}

const TO_STORED = renamings('toStored');
const FROM_STORED = renamings('fromStored');

/** Every kind of journal event; a missing one is a compile error. */
const KINDS: Readonly<Record<Kind, true>> = {
  epoch: true,
  ended: true,
  opened: true,
  allocated: true,
  started: true,
  stopping: true,
  intentCreated: true,
  intentDeferred: true,
  intentEnded: true,
  syntheticPlaced: true,
  syntheticMoved: true,
  syntheticEnded: true,
  planned: true,
  order: true,
  fillDelivered: true,
  intentRefused: true,
  strategyState: true,
  strategyStopped: true,
  strategyStarted: true,
  strategyRestarted: true,
  warmUpAwaited: true,
  warmedUp: true,
  external: true,
  externalAccepted: true,
  externalCancel: true,
  frozen: true,
  halted: true,
  operator: true,
  operatorAnswered: true,
  restricted: true,
  restrictionLifted: true,
  flattened: true,
  released: true,
  resumed: true,
  balanceAccepted: true,
  denied: true,
  nonceCancelled: true,
  pinned: true,
  departed: true,
  feeTaken: true,
  doubtLifted: true,
  equityPeaks: true,
  difference: true,
  walletOpened: true,
  debtsOpened: true,
  split: true,
  entitled: true,
  paid: true,
  paidInTokens: true,
  writtenOff: true,
  transferPlanned: true,
  transfer: true,
  treasuryStopped: true,
  session: true,
  dayBegan: true,
  sessionDoubted: true,
  bar: true,
  rewarmed: true,
  instruments: true,
  quotes: true,
  tokenPrices: true,
  timer: true,
  barsShown: true,
  series: true,
  fetched: true,
  logged: true,
  plotted: true,
  checkpoint: true,
};

/** Kinds as stored, with their current names. */
export const KIND_BY_STORED_NAME: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(KINDS) as Kind[]).map((kind) => [storedKind(kind), kind]),
);
