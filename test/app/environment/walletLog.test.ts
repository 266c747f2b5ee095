import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import type { MachineFolders } from '../../../src/process/context.ts';
import { openHeldWallet, transactionsIn, type WalletUse } from '../../../src/app/environment/walletLog.ts';
import { epochMs, epochSeconds } from '../../../src/core/brand.ts';
import { SafetyError } from '../../../src/core/errors.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import type { TransferEvent, TransferId } from '../../../src/domain/transfers/transfer.ts';
import type { OrderId } from '../../../src/domain/orders/order.ts';
import type { SignedTransaction } from '../../../src/domain/venue.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';

const freshDir = () => mkdtempSync(join(tmpdir(), 'drover-wallet-'));
const use: WalletUse = {
  address: `0x${'ab'.repeat(20)}`,
  chainId: 143,
  rpcUrl: 'https://node.example/key',
  stateDir: undefined,
  holder: 'drover run (process 7)',
};
/** A machine of its own for each test. */
const machineOf = (shared = join(freshDir(), 'drover-of-me')): MachineFolders => ({ home: null, shared });
const chainOf = (genesis = `0x${'11'.repeat(32)}`) => ({ genesis: () => Promise.resolve(genesis) });
const signed = (nonce: number, rest: Partial<SignedTransaction> = {}): SignedTransaction => ({
  chainId: 143,
  to: `0x${'cd'.repeat(20)}`,
  nonce,
  raw: `0x02${nonce}`,
  txHash: `0x${String(nonce).repeat(64)}`,
  ...rest,
});
const open = (rest: Partial<WalletUse>, machine: MachineFolders, chain = chainOf()) =>
  openHeldWallet({ ...use, ...rest }, chain, { env: {}, machineFolders: machine });
const SIGNED_AT = epochMs(1_000);
const sent = (request: SignedTransaction): JournalEvent => ({
  kind: 'order',
  id: `o-${request.nonce}` as OrderId,
  request,
  event: { kind: 'sent', at: epochMs(1_000), deadline: epochSeconds(90), txHash: request.txHash },
});

/** A state folder whose journal has these facts. */
function stateWith(facts: readonly JournalEvent[]): string {
  const stateDir = freshDir();
  const journal = openSqliteJournal(journalFile(stateDir));
  journal.commit(facts.map((fact) => ({ at: epochMs(1_000), fact })));
  journal.close();
  return stateDir;
}

describe('the nonce log of a wallet', () => {
  test('passes from one process to the next, with what a node has accepted', async () => {
    const machine = machineOf();
    const first = await open({}, machine);
    first.log.add(signed(1), SIGNED_AT);
    first.log.add(signed(2), SIGNED_AT);
    first.log.add(signed(3), SIGNED_AT);
    first.log.accept(signed(2).txHash);
    first.log.remove(signed(3).txHash);
    first.close();
    const second = await open({}, machine);
    expect(second.log.entries()).toEqual([
      { ...signed(1), at: SIGNED_AT, accepted: false, givenUp: false },
      { ...signed(2), at: SIGNED_AT, accepted: true, givenUp: false },
    ]);
    second.close();
  });

  test('is held by one process at a time', async () => {
    const machine = machineOf();
    const first = await open({}, machine);
    await expect(open({ holder: 'drover wallet cancel' }, machine)).rejects.toThrow(SafetyError);
    first.close();
    (await open({}, machine)).close();
  });

  test('is separate for another chain, port, or first block of a local chain', async () => {
    const machine = machineOf();
    const local = { rpcUrl: 'http://127.0.0.1:8545' };
    const reset = chainOf(`0x${'22'.repeat(32)}`);
    const first = await open(local, machine);
    first.log.add(signed(1), SIGNED_AT);
    first.close();
    for (const [rest, chain] of [
      [{}, chainOf()],
      [{ ...local, chainId: 10 }, chainOf()],
      [{ rpcUrl: 'http://127.0.0.1:8546' }, chainOf()],
      [local, reset],
    ] as const) {
      const other = await open(rest, machine, chain);
      expect(other.log.entries()).toEqual([]);
      other.close();
    }
    const again = await open(local, machine);
    expect(again.log.entries()).toHaveLength(1);
    again.close();
  });

  test('takes over sends from the journal of the run that are in no file', async () => {
    const stateDir = stateWith([
      sent(signed(4)),
      sent(signed(5)),
      { kind: 'order', id: 'o-5' as OrderId, event: { kind: 'accepted', txHash: signed(5).txHash } },
      sent(signed(6, { chainId: 10 })),
      sent(signed(7, { raw: '0x' })),
    ]);
    expect(transactionsIn({ stateDir, chainId: 143 }).signed).toHaveLength(2);
    const machine = machineOf();
    const held = await open({ stateDir }, machine);
    const entries = [...held.log.entries()].sort((a, b) => a.nonce - b.nonce);
    expect(entries).toEqual([
      { ...signed(4), at: SIGNED_AT, accepted: false, givenUp: false },
      { ...signed(5), at: SIGNED_AT, accepted: true, givenUp: false },
    ]);
    held.close();
  });

  test('leaves out refused transfers, and marks those that were closed without proof', async () => {
    const machine = machineOf();
    const first = await open({}, machine);
    for (const nonce of [1, 2, 3]) first.log.add(signed(nonce), SIGNED_AT);
    first.log.giveUp(signed(3).txHash);
    first.close();
    const transfer = (request: SignedTransaction, event: TransferEvent): JournalEvent[] => {
      const id = `op-${request.nonce}` as TransferId;
      const begun: TransferEvent = { kind: 'sent', at: epochMs(1_000) };
      return [
        { kind: 'transfer', id, event: begun, request },
        { kind: 'transfer', id, event },
      ];
    };
    const stateDir = stateWith([
      ...transfer(signed(1), { kind: 'refused', reason: 'no gas' }),
      ...transfer(signed(2), { kind: 'assumedGone' }),
    ]);
    const held = await open({ stateDir }, machine);
    expect(held.log.entries().map(({ nonce, givenUp }) => [nonce, givenUp])).toEqual([
      [2, true],
      [3, true],
    ]);
    held.close();
    const later = await open({}, machine);
    expect(later.log.entries().map(({ nonce }) => nonce)).toEqual([2, 3]);
    later.close();
  });

  test('keeps the wallet from sending while it cannot be read, and releases the wallet', async () => {
    const machine = machineOf();
    (await open({}, machine)).close();
    const file = readdirSync(machine.shared).find((name) => name.startsWith('nonces-')) ?? '';
    writeFileSync(join(machine.shared, file), 'no database '.repeat(400));
    await expect(open({}, machine)).rejects.toThrow(/cannot be kept in .*nonces-.*Nothing was sent/);
    await expect(open({}, machine)).rejects.toThrow(/cannot be kept in/);
  });
});
