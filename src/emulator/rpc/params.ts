import { z } from 'zod';
import type { Address } from '../../domain/instrument.ts';
import type { Hex } from '../state/state.ts';
import { NodeRefusal, RPC_CODES } from '../state/nodeFace.ts';
import type { BlockTag } from './blocks.ts';
import { NOBODY, type Trial } from './calls.ts';
import type { LogFilter } from './views.ts';

const hex = (pattern: RegExp, what: string) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value), `must be ${what}`);

export const data = hex(/^0x([0-9a-fA-F]{2})*$/, 'bytes in hex').transform(
  (text) => text.toLowerCase() as Hex,
);
export const hash = hex(/^0x[0-9a-fA-F]{64}$/, '32 bytes in hex').transform(
  (text) => text.toLowerCase() as Hex,
);
export const address = hex(/^0x[0-9a-fA-F]{40}$/, 'an address') as z.ZodType<Address>;
export const wei = hex(/^0x[0-9a-fA-F]{1,64}$/, 'a number in hex').transform((text) => BigInt(text));
export const count = hex(/^0x[0-9a-fA-F]{1,13}$/, 'a number in hex').transform((text) => Number(text));

const WORDS = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const;

/** A block by tag, by number, or as an object with either (EIP-1898). */
export const blockTag: z.ZodType<BlockTag> = z.union([
  z.enum(WORDS),
  count.transform((blockNumber) => ({ blockNumber })),
  z.object({ blockNumber: count }),
  z.object({ blockHash: hash }).transform(({ blockHash }) => ({ blockHash })),
]);
export const optionalTag = blockTag.nullish().transform((tag): BlockTag => tag ?? 'latest');

/** The transaction of `eth_call` and `eth_estimateGas`. */
export const trial = z
  .object({
    from: address.nullish(),
    to: address,
    data: data.nullish(),
    input: data.nullish(),
    value: wei.nullish(),
    gas: wei.nullish(),
    gasPrice: wei.nullish(),
    maxFeePerGas: wei.nullish(),
  })
  .transform(({ from, to, gas, ...rest }): Trial => ({
    from: from ?? NOBODY,
    to,
    gas: gas ?? null,
    data: rest.input ?? rest.data ?? '0x',
    value: rest.value ?? 0n,
    gasPrice: rest.maxFeePerGas ?? rest.gasPrice ?? 0n,
  }));

const several = <T extends z.ZodType>(one: T) => z.union([one, z.array(one)]);
const lower = (text: string): string => text.toLowerCase();

/** Filter of logs and its range of blocks. */
export const logQuery = z
  .object({
    address: several(address).nullish(),
    topics: z.array(several(hash).nullable()).max(4).nullish(),
    fromBlock: optionalTag,
    toBlock: optionalTag,
    blockHash: hash.nullish(),
  })
  .transform(({ address: of, topics, fromBlock, toBlock, blockHash }) => {
    const filter: LogFilter = {
      addresses: [of ?? []].flat().map(lower),
      topics: (topics ?? []).map((wanted) =>
        wanted === null || wanted.length === 0 ? null : [wanted].flat(),
      ),
    };
    return blockHash
      ? { filter, from: { blockHash }, to: { blockHash } }
      : { filter, from: fromBlock, to: toBlock };
  });

/** Parses the positional parameters of a method. @throws {NodeRefusal} naming the invalid one */
export function parseParams<S extends z.ZodType>(schema: S, params: readonly unknown[]): z.output<S> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [index, ...fields] = issue?.path ?? [];
  const where = [`invalid argument ${String(index ?? '')}`, ...fields.map(String)].join(', ');
  throw new NodeRefusal(`${where}: ${issue?.message ?? 'invalid'}`, RPC_CODES.params);
}
