import { PROOFS } from '../../../api/assumptions/names.ts';
import type { VenueClient } from '../../../api/client.ts';
import { wordsOf } from '../../../api/failures.ts';
import { refusalOf, type RefusalKind } from '../../../api/refusals.ts';
import { isVenueFault, messageOf } from '../../../core/errors.ts';
import type { Subject } from './calldata.ts';
import { asAssumed, differs, settingOf, unchecked, type Checked } from './checked.ts';

const KINDS = PROOFS.refusals.words;
const EVERY: ReadonlySet<RefusalKind> = new Set(KINDS);

/** A request for calldata that the documentation says is refused, and why it is. */
type Provoked = Readonly<{ kind: RefusalKind; body: object }>;

function provocations({ stock, deadline }: Subject): readonly Provoked[] {
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

type Heard = Readonly<{ kind: RefusalKind; words: string | null; read: RefusalKind | null }>;

/** Provokes refusals by calldata requests, and compares how their texts are read. Nothing is signed or sent. */
export async function checkRefusals(client: VenueClient, subject: Subject): Promise<Checked> {
  const heard: Heard[] = [];
  try {
    for (const { kind, body } of provocations(subject)) {
      const words = await refused(client, body);
      heard.push({ kind, words, read: words === null ? null : (refusalOf(words, EVERY)?.kind ?? null) });
    }
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return unchecked(ENTRY, `the venue did not answer: ${messageOf(error)}`);
  }
  return judged(heard, client.assumptions.refusals);
}

const ENTRY = 'proof.refusals';

/** The words of the refusal; null when calldata was given. */
async function refused(client: VenueClient, body: object): Promise<string | null> {
  const { code, errMsg } = await client.call('POST', '/api/v1/orders/calldata', { body });
  return code === 200 ? null : wordsOf(errMsg, client.redact);
}

function judged(heard: readonly Heard[], believed: ReadonlySet<RefusalKind>): Checked {
  const told = heard.filter(({ words }) => words !== null);
  const wrong = told.filter(({ kind, read }) => read !== null && read !== kind && believed.has(read));
  const silent = told.filter(({ read }) => read === null);
  const fine = told.filter(({ kind, read }) => read === kind).map(({ kind }) => kind);
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
  const rest = unheardIn(told);
  if (fine.length === 0) return unchecked(ENTRY, `nothing was refused${rest}`);
  return asAssumed(ENTRY, `as assumed: ${fine.join(', ')}${rest}`);
}

/** Names the kinds that were not heard, with the reason where one is known; empty when all were. */
function unheardIn(told: readonly Heard[]): string {
  const open = KINDS.filter((kind) => !told.some((each) => each.kind === kind));
  if (open.length === 0) return '';
  return `; not heard: ${open.map((kind) => (NEVER[kind] ? `${kind} (${NEVER[kind]})` : kind)).join(', ')}`;
}

const textsOf = (some: readonly Heard[]): string =>
  some
    .map(
      ({ kind, words, read }) =>
        `${kind} is refused as "${words ?? ''}"${read === null ? '' : `, read as ${read}`}`,
    )
    .join('; ');
