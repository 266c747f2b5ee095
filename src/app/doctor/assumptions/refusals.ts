import { PROOFS, WORDS, type WordField } from '../../../api/assumptions/names.ts';
import type { VenueClient } from '../../../api/client.ts';
import { wordsOf, refusalOf, type RefusalKind } from '../../../api/failures.ts';
import { isVenueFault, messageOf } from '../../../core/errors.ts';
import type { Subject } from './calldata.ts';
import { asAssumed, differs, settingOf, unchecked, type AssumptionResult, editOf } from '../finding.ts';
import {
  HISTORY_WORDS,
  LINKED_WORDS,
  OPEN_WORDS,
  OPERATION_WORDS,
} from '../../../api/assumptions/venueRules.ts';
import type { Assumptions } from '../../../api/assumptions/assumptions.ts';
import { isTree, type Tree } from '../../../core/nesting.ts';
import { matched, type Samples } from './fields.ts';

const KINDS = PROOFS.refusals.words;
const EVERY: ReadonlySet<RefusalKind> = new Set(KINDS);

/** A request for calldata that the documentation says must be refused, and the expected kind of refusal. */
type Provocation = Readonly<{ kind: RefusalKind; body: object }>;

function provocations({ stock, deadline }: Subject): readonly Provocation[] {
  const market = { stockAddress: stock, side: 'Buy', type: 'Market', notional: '10' };
  const limit = { stockAddress: stock, side: 'Buy', type: 'Limit', quantity: '1', price: '1', deadline };
  const { notional: _, ...nothing } = market;
  const PAST = 1_600_000_000;
  return [
    { kind: 'day-only', body: { ...limit, timeInForce: 'GTC' } },
    { kind: 'deadline', body: { ...limit, timeInForce: 'DAY', deadline: PAST } },
    { kind: 'validation', body: { ...nothing, deadline } },
    { kind: 'session', body: { ...market, deadline } },
    {
      kind: 'deferred',
      body: { ...market, notional: undefined, side: 'Sell', quantity: '1', deferred: true, deadline },
    },
  ];
}

/** Refusals that are never provoked, each with the reason: the request would change something if it were accepted. */
const NEVER: Readonly<Partial<Record<RefusalKind, string>>> = {
  delegation: 'it needs a send while One Click is off',
  signature: 'it needs One Click to be signed for by another wallet',
  cancel: 'it needs an order that has ended',
};

type RefusalReply = Readonly<{ kind: RefusalKind; words: string | null; read: RefusalKind | null }>;

/** Provokes refusals by calldata requests, and checks how their texts are classified. Nothing is signed or sent. */
export async function checkRefusals(client: VenueClient, subject: Subject): Promise<AssumptionResult> {
  const replies: RefusalReply[] = [];
  try {
    for (const { kind, body } of provocations(subject)) {
      const words = await refused(client, body);
      replies.push({ kind, words, read: words === null ? null : (refusalOf(words, EVERY)?.kind ?? null) });
    }
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return unchecked(ENTRY, `the venue did not answer: ${messageOf(error)}`);
  }
  return judged(replies, client.assumptions.refusals);
}

const ENTRY = 'proof.refusals';

/** The words of the refusal; null if calldata was returned. */
async function refused(client: VenueClient, body: object): Promise<string | null> {
  const { code, errMsg } = await client.call('POST', '/api/v1/orders/calldata', { body });
  return code === 200 ? null : wordsOf(errMsg, client.redact);
}

function judged(replies: readonly RefusalReply[], believed: ReadonlySet<RefusalKind>): AssumptionResult {
  const answered = replies.filter(({ words }) => words !== null);
  const wrong = answered.filter(({ kind, read }) => read !== null && read !== kind && believed.has(read));
  const silent = answered.filter(({ read }) => read === null);
  const fine = answered.filter(({ kind, read }) => read === kind).map(({ kind }) => kind);
  if (wrong.length > 0) {
    const doubtful = new Set(wrong.flatMap(({ read }) => read ?? []));
    const kept = KINDS.filter((kind) => believed.has(kind) && !doubtful.has(kind));
    return differs(ENTRY, textsOf(wrong), settingOf(['proof', 'refusals'], `[${kept.join(', ')}]`));
  }
  if (silent.length > 0)
    return differs(
      ENTRY,
      `${textsOf(silent)}: such an order counts as unknown until it is proven gone, which is safe and slow`,
      null,
    );
  const rest = unseenKinds(answered);
  if (fine.length === 0) return unchecked(ENTRY, `nothing was refused${rest}`);
  return asAssumed(ENTRY, `as assumed: ${fine.join(', ')}${rest}`);
}

/** Kinds of refusal that were not observed, with the reason where known; empty if all were. */
function unseenKinds(answered: readonly RefusalReply[]): string {
  const open = KINDS.filter((kind) => !answered.some((each) => each.kind === kind));
  if (open.length === 0) return '';
  return `; not heard: ${open.map((kind) => (NEVER[kind] ? `${kind} (${NEVER[kind]})` : kind)).join(', ')}`;
}

const textsOf = (some: readonly RefusalReply[]): string =>
  some
    .map(
      ({ kind, words, read }) =>
        `${kind} is refused as "${words ?? ''}"${read === null ? '' : `, read as ${read}`}`,
    )
    .join('; ');

const textIn = (object: Tree, name: string): readonly string[] => {
  const value = object[name];
  return typeof value === 'string' ? [value] : [];
};

/** Compares the words of a field with the assumed ones. `none`: reason why there are no objects. */
export function checkWords(
  field: WordField,
  { words }: Assumptions,
  { objects, name, none }: Readonly<{ objects: readonly Tree[]; name: string; none: string }>,
): AssumptionResult {
  const entry = `words.${field}`;
  const seen = new Set(objects.flatMap((object) => textIn(object, name)));
  if (seen.size === 0) return unchecked(entry, none);
  const theirs = Object.values(words[field]);
  const odd = [...seen].filter((word) => !theirs.includes(word));
  const list = [...seen].join(', ');
  if (odd.length === 0) return asAssumed(entry, `as assumed: ${list}`);
  const unseen = WORDS[field].words.filter((word) => !seen.has(words[field][word] ?? word));
  const edit = editOf(['words', field], matched(unseen, odd));
  return differs(entry, `${WORDS[field].where} says ${odd.join(', ')}`, edit);
}

/** Words of ended orders: each known one ends an order, unless the same row still shows it open. */
export function checkOrderEnds({ fields, orderEnds }: Assumptions, rows: readonly Tree[]): AssumptionResult {
  const entry = 'proof.orderEnds';
  const { openOrder = '', historyOrder = '' } = fields.orderDetail;
  const ended = rows.filter((row) => isTree(row[historyOrder]));
  const wordOf = (row: Tree) => (isTree(row[historyOrder]) ? textIn(row[historyOrder], 'status') : []);
  const words = new Set(ended.flatMap(wordOf));
  if (words.size === 0) return unchecked(entry, 'no order of the key has ended yet');
  const known = [...Object.keys(HISTORY_WORDS), ...Object.keys(OPEN_WORDS)];
  const odd = [...words].filter((word) => !known.includes(word));
  if (odd.length > 0)
    return differs(entry, `an ended order is called ${odd.join(', ')}: it is treated as not ended`, null);
  const doubtful = new Set(ended.filter((row) => isTree(row[openOrder])).flatMap(wordOf));
  const kept = PROOFS.orderEnds.words.filter((word) => orderEnds.has(word) && !doubtful.has(word));
  const contradicted = [...doubtful].filter((word) => orderEnds.has(word));
  if (contradicted.length > 0)
    return differs(
      entry,
      `an order called ${contradicted.join(', ')} is still shown open`,
      settingOf(['proof', 'orderEnds'], `[${kept.join(', ')}]`),
    );
  return asAssumed(entry, `as assumed, for those seen: ${[...words].join(', ')}`);
}

/** Status words of transfers, from the amounts moved. */
export function checkTransferEnds({ fields }: Assumptions, samples: Samples): AssumptionResult {
  const entry = 'proof.transferEnds';
  const { withdrawalOperation, stockOperation } = fields;
  const words = new Set([
    ...(samples.withdrawalOperation ?? []).flatMap((each) =>
      textIn(each, withdrawalOperation['status'] ?? ''),
    ),
    ...(samples.stockOperation ?? []).flatMap((each) => textIn(each, stockOperation['status'] ?? '')),
  ]);
  if (words.size === 0) return unchecked(entry, 'the key has made no transfer yet');
  const odd = [...words].filter((word) => !OPERATION_WORDS.has(word) && !LINKED_WORDS.has(word));
  if (odd.length === 0) return asAssumed(entry, `as assumed, for those seen: ${[...words].join(', ')}`);
  return differs(entry, `a transfer is called ${odd.join(', ')}: it is treated as not ended`, null);
}
