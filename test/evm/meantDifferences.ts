import type { Difference } from './shape.ts';

/** An intended difference between the nodes. */
export type MeantDifference = Readonly<{
  /** Names of probes. */
  in: readonly string[];
  at: readonly string[];
  emulator: string;
  /** Null for any form. */
  anvil: string | null;
  reason: string;
}>;

const BLOCKS = ['newest block', 'safe block', 'finalized block'];
const REVERTS = ['call that reverts', 'estimate that reverts'];
/** The selector of `OrderUnknown(bytes32)`, and what it names. */
const CUSTOM_ERROR = `0x9ff589b2: ${'99'.repeat(32)}`;

/** Anvil's words for an error that go-ethereum words as the emulator does, for requests that no sound program sends. */
const words = (name: string, emulator: string, anvil: string): MeantDifference => ({
  in: [name],
  at: ['error.message'],
  emulator,
  anvil,
  reason: 'the emulator has the words of go-ethereum, anvil its own',
});

export const MEANT: readonly MeantDifference[] = [
  {
    in: BLOCKS,
    at: ['withdrawalsRoot', 'withdrawals', 'blobGasUsed', 'excessBlobGas'].map((each) => `result.${each}`),
    emulator: 'absent',
    anvil: null,
    reason: 'nothing here reads withdrawals or blobs',
  },
  {
    in: BLOCKS,
    at: ['result.parentBeaconBlockRoot', 'result.requestsHash'],
    emulator: 'absent',
    anvil: '32 bytes',
    reason: 'nothing here reads what comes from the consensus layer',
  },
  {
    in: ['fee history', 'receipt'],
    at: ['result.baseFeePerBlobGas[]', 'result.blobGasUsedRatio[]', 'result.blobGasPrice'],
    emulator: 'absent',
    anvil: null,
    reason: 'nothing here reads blobs',
  },
  {
    in: ['mined transaction', 'receipt', 'logs'],
    at: ['result.blockTimestamp', 'result.logs[].blockTimestamp', 'result[].blockTimestamp'],
    emulator: 'absent',
    anvil: null,
    reason: 'an addition of some nodes: the time of a block is asked of the block',
  },
  {
    in: ['code of a contract'],
    at: ['result'],
    emulator: 'quantity',
    anvil: 'bytes',
    reason: 'the emulated contracts have no code: one byte says that there is something',
  },
  {
    in: ['bytes that say nothing'],
    at: ['error.code'],
    emulator: '-32000',
    anvil: '-32602',
    reason: 'the emulator has the code of go-ethereum',
  },
  {
    in: ['call of no function'],
    at: ['error.message'],
    emulator: 'execution reverted: unknown function',
    anvil: 'execution reverted',
    reason: 'the emulated contracts say what is wrong, where a compiled one reverts with nothing',
  },
  {
    in: ['call of no function'],
    at: ['error.data'],
    emulator: 'bytes',
    anvil: 'no bytes',
    reason: 'the same',
  },
  {
    in: REVERTS,
    at: ['error.message'],
    emulator: 'execution reverted: no such order',
    anvil: `execution reverted: custom error ${CUSTOM_ERROR}`,
    reason: 'the contract of the tests has an error of its own there, the emulated one a text',
  },
  {
    in: ['too little gas to begin'],
    at: ['error.code'],
    emulator: '-32003',
    anvil: 'absent',
    reason: 'anvil takes what it can never mine; other nodes refuse it',
  },
  {
    in: ['too little gas to begin'],
    at: ['error.message'],
    emulator: 'intrinsic gas too low',
    anvil: 'absent',
    reason: 'the same',
  },
  {
    in: ['too little gas to begin'],
    at: ['result'],
    emulator: 'absent',
    anvil: '32 bytes',
    reason: 'the same',
  },
  words('no method', 'the method eth_none does not exist/is not available', 'Method not found'),
  words('address cut short', 'invalid argument 0: must be an address', 'invalid string length'),
  words(
    'no parameters',
    'invalid argument 0: must be 32 bytes in hex',
    'expected params sequence with length 1 but got 0',
  ),
  words(
    'bytes that are none',
    'invalid argument 0: must be bytes in hex',
    'invalid value: string "0xzz", expected a valid hex string',
  ),
  words('bytes that say nothing', 'rlp: not a transaction', 'Failed to decode transaction'),
];

/** The row that allows a difference. */
export const rowFor = (probe: string, { at, emulator, anvil }: Difference): MeantDifference | undefined =>
  MEANT.find(
    (row) =>
      row.in.includes(probe) &&
      row.at.includes(at) &&
      row.emulator === emulator &&
      (row.anvil === null || row.anvil === anvil),
  );
