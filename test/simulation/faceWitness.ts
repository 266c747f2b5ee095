import { epochMs } from '../../src/core/brand.ts';
import type { VirtualClock } from '../../src/core/virtualClock.ts';
import { BASE_FEE } from '../../src/emulator/chain/gas.ts';
import type { NodeFace } from '../../src/emulator/state/nodeFace.ts';
import type { State, Transaction } from '../../src/emulator/state/state.ts';
import { asksMultiplier } from './multipliers.ts';
import type { Counters } from './sometimes.ts';

export type WitnessParts = Readonly<{
  face: NodeFace;
  state: State;
  time: VirtualClock;
  sometimes: Counters;
}>;

const METHOD = /"method":"(\w+)"/;
const BASE = /"baseFeePerGas":"(0x[0-9a-f]+)"/;
const REVERT =
  /execution reverted|VM execution error|VM Exception|reverted without a reason|Execution reverted/;
const CAUSE = { text: 'revertText', custom: 'revertCustom', bare: 'revertBare' } as const;

/** Counts which behaviours of its node the runner has met: a switch that never showed has tested nothing. */
export class FaceWitness {
  readonly #parts: WitnessParts;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** An answer of the node, before the way back corrupts it. */
  answered(body: string, answer: string): void {
    const { face, sometimes } = this.#parts;
    switch (METHOD.exec(body)?.[1] ?? '') {
      case 'eth_getTransactionCount':
        if (!face.countsWaiting && body.includes('"pending"') && this.#waiting(() => true))
          sometimes.waitingUncounted++;
        return;
      case 'eth_getTransactionByHash':
        if (
          !face.showsWaiting &&
          answer.includes('"result":null') &&
          this.#waiting(({ hash }) => body.includes(hash))
        )
          sometimes.waitingHidden++;
        return;
      case 'eth_getTransactionReceipt':
        if (face.charges === 'limit' && answer.includes('"gasUsed"')) sometimes.limitCharged++;
        return;
      case 'eth_getBlockByNumber': {
        const base = BASE.exec(answer)?.[1];
        if (base !== undefined && BigInt(base) !== BASE_FEE) sometimes.baseFeeMoved++;
        return;
      }
      case 'eth_call':
      case 'eth_estimateGas':
        if (!asksMultiplier(body) && REVERT.test(answer)) sometimes[CAUSE[face.reverts]]++;
        return;
      case 'eth_sendRawTransaction':
        if (answer.includes('"error"')) sometimes[`refusal ${face.client}`]++;
    }
  }

  /** Notes a transaction in the mempool, to see whether it is forgotten there. */
  taken(txHash: string): void {
    const { face, time, sometimes } = this.#parts;
    if (face.expiryMs === null) return;
    time.at(epochMs(time.now() + face.expiryMs - 1), () => {
      if (this.#waiting(({ hash }) => hash === txHash)) sometimes.waitingForgotten++;
    });
  }

  #waiting(isMeant: (transaction: Transaction) => boolean): boolean {
    return this.#parts.state.transactions.some(
      (each) => each.minedAt === null && each.signed !== null && isMeant(each),
    );
  }
}
