import { describe, expect, test } from 'vitest';
import {
  moveTransfer,
  transferHasEnded,
  type TransferEvent,
  type TransferState,
} from '../../../src/domain/transfers/transfer.ts';
import { ownerOfRow } from '../../../src/domain/transfers/transferBook.ts';
import { anOperation, anOperationReport, opId, STOCK_TOKEN, termsOf, USDC } from '../operations.ts';
import { SENT, TX } from '../orders.ts';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';

const states: Record<TransferState['kind'], TransferState> = {
  planned: { kind: 'planned' },
  sent: { kind: 'sent', at: SENT },
  unknown: { kind: 'unknown', at: SENT, reason: 'reset' },
  acknowledged: { kind: 'acknowledged', at: SENT, txHash: TX },
  processing: { kind: 'processing', at: SENT, txHash: TX },
  settled: { kind: 'settled', txHash: TX, received: 100n },
  failed: { kind: 'failed', txHash: TX, reason: 'failed' },
  refused: { kind: 'refused', reason: 'no' },
  neverExisted: { kind: 'neverExisted', at: SENT },
  abandoned: { kind: 'abandoned', reason: 'restart' },
};
const reported = (status: 'pending' | 'processing' | 'success' | 'failed'): TransferEvent => ({
  kind: 'reported',
  report: anOperationReport({ status, rawStatus: status }),
});
const events: Record<string, TransferEvent> = {
  sent: { kind: 'sent', at: SENT },
  accepted: { kind: 'accepted', txHash: TX },
  refused: { kind: 'refused', reason: 'no' },
  lost: { kind: 'lost', reason: 'reset' },
  abandoned: { kind: 'abandoned', reason: 'restart' },
  pending: reported('pending'),
  processing: reported('processing'),
  success: reported('success'),
  failed: reported('failed'),
  shown: { kind: 'shown' },
  reverted: { kind: 'reverted', cause: 'paused' },
  assumedGone: { kind: 'assumedGone' },
  replaced: { kind: 'replaced' },
};

/** Where each event leads from each state: a state, `-` for stale, `!` for illegal. */
const TABLE = `
              sent  accepted      refused  lost     abandoned  pending  processing  success  failed  shown    reverted  assumedGone  replaced
planned       sent  !             !        -        abandoned  !        !           !        !       !        !         -            -
sent          !     acknowledged  refused  unknown  !          !        !           !        !       settled  !         -            -
unknown       !     acknowledged  !        -        !          !        !           !        !       settled  !         neverExisted neverExisted
acknowledged  !     -             !        -        !          -        processing  settled  failed  settled  failed    neverExisted neverExisted
processing    !     -             !        -        !          -        -           settled  failed  !        !         -            -
settled       !     -             !        -        !          -        -           -        !       -        !         -            -
failed        !     -             !        -        !          -        !           !        -       -        -         -            -
refused       !     !             !        -        !          !        !           !        !       -        !         -            -
neverExisted  !     acknowledged  !        -        !          !        !           !        !       -        !         -            -
abandoned     !     !             !        -        !          !        !           !        !       -        !         -            -
`;
const [head = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const cells = rows.flatMap(([from = '', ...ends]) =>
  ends.map((end, index) => [from, head[index] ?? '', end] as const),
);

describe('a transfer', () => {
  test.each(cells)('goes from %s on %s to %s', (from, on, end) => {
    const event = events[on];
    if (!event) throw new Error(on);
    const result = moveTransfer(anOperation({ state: states[from as TransferState['kind']] }), event);
    const led = result.kind === 'moved' ? result.transfer.state.kind : result.kind === 'stale' ? '-' : '!';
    expect(led).toBe(end);
  });

  test('has a transition table with every state and every event', () => {
    expect(cells).toHaveLength(Object.keys(states).length * Object.keys(events).length);
  });

  test('that moved another amount than requested is illegal', () => {
    const report = anOperationReport({ moved: { token: USDC, amount: 99n, received: 99n } });
    const result = moveTransfer(anOperation({ state: states.acknowledged }), { kind: 'reported', report });
    expect(result.kind).toBe('illegal');
  });

  test('that the venue lists with a float amount is recognised, and has moved its exact amount', () => {
    const amount = parseCash('1234.567890123456789012');
    const listed = parseCash('1234.56789012346');
    const terms = termsOf('stockDeposit', amount);
    const report = anOperationReport({ moved: { token: STOCK_TOKEN, amount: listed, received: listed } });
    const sent = anOperation({ terms, state: states.acknowledged });
    expect(moveTransfer(sent, { kind: 'reported', report })).toMatchObject({
      transfer: { state: { kind: 'settled', received: amount } },
    });
    const lost = anOperation({ terms, state: states.unknown });
    expect(ownerOfRow(report, [lost])).toEqual({ kind: 'found', id: opId(1) });
    const other = { token: STOCK_TOKEN, amount: listed + 10n ** 7n, received: null };
    expect(ownerOfRow({ ...report, moved: other }, [lost])).toEqual({ kind: 'none' });
  });

  test('that was confirmed by balances does not take a late answer meant for another transfer', () => {
    const shown = anOperation({
      terms: termsOf('repay', 5n),
      state: { kind: 'settled', txHash: null, received: 5n },
    });
    expect(moveTransfer(shown, { kind: 'accepted', txHash: TX }).kind).toBe('stale');
  });

  test('sent by the wallet is identified by its hash from the send on', () => {
    const sent = moveTransfer(anOperation(), { kind: 'sent', at: SENT, txHash: TX });
    if (sent.kind !== 'moved') throw new Error(sent.kind);
    const lost = moveTransfer(sent.transfer, { kind: 'lost', reason: 'restart' });
    if (lost.kind !== 'moved') throw new Error(lost.kind);
    const found = moveTransfer(lost.transfer, reported('success'));
    expect(found.kind === 'moved' && transferHasEnded(found.transfer)).toBe(true);
    expect(moveTransfer(sent.transfer, { kind: 'accepted', txHash: '0xother' }).kind).toBe('illegal');
    expect(moveTransfer(lost.transfer, { kind: 'reverted', cause: 'paused' })).toMatchObject({
      transfer: { state: { kind: 'failed', txHash: TX, reason: 'paused' } },
    });
  });
});

describe('attribution of a transfer row', () => {
  const lost = anOperation({ state: states.unknown });
  const row = anOperationReport({ txHash: '0xnew' });

  test('gives a row to the transfer with its transaction hash', () => {
    const known = anOperation({ id: opId(2), state: states.acknowledged });
    expect(ownerOfRow(anOperationReport(), [lost, known])).toEqual({ kind: 'known', id: opId(2) });
  });

  test('gives a row to a transfer of unknown outcome with the same terms and time', () => {
    expect(ownerOfRow(row, [lost])).toEqual({ kind: 'found', id: opId(1) });
    expect(ownerOfRow({ ...row, createdAt: epochMs(SENT - 26_000) }, [lost])).toEqual({ kind: 'none' });
    const other = { token: USDC, amount: 101n, received: 101n };
    expect(ownerOfRow({ ...row, moved: other }, [lost])).toEqual({ kind: 'none' });
    expect(ownerOfRow({ ...row, moved: null }, [lost])).toEqual({ kind: 'none' });
  });

  test('gives a row to a transfer counted as never done while its request could still be accepted', () => {
    const gone = anOperation({ state: states.neverExisted });
    expect(ownerOfRow({ ...row, createdAt: epochMs(SENT + 70_000) }, [gone]).kind).toBe('found');
    expect(ownerOfRow({ ...row, createdAt: epochMs(SENT + 155_000) }, [gone]).kind).toBe('none');
    expect(ownerOfRow({ ...row, createdAt: epochMs(SENT + 155_000) }, [lost]).kind).toBe('found');
  });

  test('leaves a row unattributed while the response is pending, and ambiguous between two equal transfers', () => {
    expect(ownerOfRow(row, [anOperation({ state: states.sent })])).toEqual({ kind: 'none' });
    const twin = anOperation({ id: opId(2), state: states.unknown });
    expect(ownerOfRow(row, [lost, twin])).toEqual({ kind: 'ambiguous', ids: [opId(1), opId(2)] });
  });
});
