import { WAD } from '../../src/core/amount.ts';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import type { DividendRules } from '../../src/domain/corporateAction.ts';
import type { TokenTraits } from '../../src/emulator/state/constants.ts';
import type { Plan } from './plan.ts';
import type { Counters } from './sometimes.ts';

/** Falsehoods about the multiplier of a token: it falls, is none, is a million times too large, or never comes. */
export const MULTIPLIER_LIES = ['falls', 'zero', 'leaps', 'silent'] as const;
type MultiplierLie = (typeof MULTIPLIER_LIES)[number];

/**
 * A dividend in tokens. `contract`: function by which tokens state their multiplier; `withheldBps`: part that the venue
 * withholds without the runner knowing; `lie`: false statement of the node in a share of its answers; `comesAgain`: the
 * venue gives the same shares once more, unannounced.
 */
export type TokenPlan = Readonly<{
  contract: NonNullable<TokenTraits['contract']>;
  withheldBps: number;
  begins: NonNullable<DividendRules['begins']>;
  lie: Readonly<{ kind: MultiplierLie; share: number }> | null;
  comesAgain: boolean;
}>;

/** Part that is withheld in some runs: too much for the value of the shares received to equal the amount due. */
const WITHHELD_BPS = 3_000;

/**
 * Draws the tokens of a run separately, so that a seed has the same faults with and without them. What no worth explains is withheld only
 * where a node can show it.
 */
export function tokensOf({
  seed,
  nights,
  submission,
}: Pick<Plan, 'seed' | 'nights' | 'submission'>): TokenPlan {
  const random = seededRandom(`tokens ${seed}`);
  const among = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
  return {
    contract: among(['getCurrentMultiplier', 'balancePerShare']),
    withheldBps: random.next() < 0.6 && submission !== 'one-click' ? WITHHELD_BPS : 0,
    begins: random.next() < 0.5 && nights ? 'evening' : 'open',
    lie: random.next() < 0.5 ? { kind: among(MULTIPLIER_LIES), share: among([1, 0.5]) } : null,
    comesAgain: random.next() < 0.3 && nights,
  };
}

const CALL = /"method":"eth_call".*"data":"0x(?:2b63c300|a781a3fd)"/;
const WORD = /(?<="result":"0x)[0-9a-f]{64}/;
const LEAP = 1_000_000n;

/** True for a question to a node for a multiplier by which a token grows. */
export const asksMultiplier = (body: string): boolean => CALL.test(body);

type WitnessParts = Readonly<{
  lie: TokenPlan['lie'];
  random: Random;
  sometimes: Counters;
  /** True once no more faults occur. */
  isHealed: () => boolean;
}>;

/** The way of multipliers from a node to the runner, on which some are made false. */
export class Multipliers {
  readonly #parts: WitnessParts;
  /** True once a false one was given. */
  hasLied = false;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** The answer as the runner gets it; null for none. */
  told(body: string, answer: string): string | null {
    const { lie, random, sometimes, isHealed } = this.#parts;
    const [word] = (lie && asksMultiplier(body) && WORD.exec(answer)) || [];
    if (!lie || word === undefined || isHealed() || random.next() >= lie.share) return answer;
    sometimes[`multiplier ${lie.kind}`]++;
    if (lie.kind === 'silent') return null;
    this.hasLied = true;
    return answer.replace(
      WORD,
      falseOf(lie.kind, BigInt(`0x${word}`))
        .toString(16)
        .padStart(64, '0'),
    );
  }
}

function falseOf(kind: Exclude<MultiplierLie, 'silent'>, multiplier: bigint): bigint {
  if (kind === 'zero') return 0n;
  return kind === 'leaps' ? multiplier * LEAP : multiplier - WAD / 10n;
}
