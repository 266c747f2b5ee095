import { epochMs, type EpochMs, toSeconds } from '../../core/brand.ts';
import type { State } from '../state/state.ts';
import { chanceOf } from '../../core/random.ts';
import { BASE_FEE } from './gas.ts';

/** The first block that can take what is ready at `at`. Blocks stand on whole seconds. */
export const blockAfter = ({ blocks: { everyMs } }: Pick<State, 'blocks'>, at: number): EpochMs =>
  epochMs(Math.ceil(at / everyMs) * everyMs);

/** Seconds between two heights of a base fee that walks: it goes from one to the next in equal steps of percent. */
const STRIDE_SECONDS = 60;

/** Wei that the block of an instant asks for a unit of gas. */
export function baseFeeAt({ seed, node }: Pick<State, 'seed' | 'node'>, at: EpochMs): bigint {
  const peak = node?.walks.findLast(({ from }) => from <= at)?.peak ?? 1;
  if (peak === 1) return BASE_FEE;
  const strides = toSeconds(at) / STRIDE_SECONDS;
  const height = (stride: number) => 2 * chanceOf(`${seed} base fee ${stride}`) - 1;
  const [first, part] = [Math.floor(strides), strides % 1];
  const level = height(first) * (1 - part) + height(first + 1) * part;
  return (BASE_FEE * BigInt(Math.round(1_000 * peak ** level))) / 1_000n;
}
