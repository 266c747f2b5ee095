/**
 * The checksum of an address (EIP-55) without a chain library: loading one would cost every start more than
 * a tenth of a second. It guards against mistyped digits; nothing here protects a secret.
 */

const LANES = 25;
const RATE_BYTES = 136;

/** Keccak-f[1600]: constants of the 24 rounds, and turn and target of each of the 24 steps through the lanes. */
const ROUNDS = [
  0x1n,
  0x8082n,
  0x800000000000808an,
  0x8000000080008000n,
  0x808bn,
  0x80000001n,
  0x8000000080008081n,
  0x8000000000008009n,
  0x8an,
  0x88n,
  0x80008009n,
  0x8000000an,
  0x8000808bn,
  0x800000000000008bn,
  0x8000000000008089n,
  0x8000000000008003n,
  0x8000000000008002n,
  0x8000000000000080n,
  0x800an,
  0x800000008000000an,
  0x8000000080008081n,
  0x8000000000008080n,
  0x80000001n,
  0x8000000080008008n,
];
const TURNS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const TARGETS = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];

const turn = (lane: bigint, by: number): bigint =>
  BigInt.asUintN(64, (lane << BigInt(by)) | (lane >> BigInt(64 - by)));

function permute(lanes: BigUint64Array): void {
  const at = (index: number): bigint => lanes[index] ?? 0n;
  for (const constant of ROUNDS) {
    const columns = [0, 1, 2, 3, 4].map((x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20));
    const column = (x: number): bigint => columns[x % 5] ?? 0n;
    for (let i = 0; i < LANES; i++) lanes[i] = at(i) ^ column((i % 5) + 4) ^ turn(column((i % 5) + 1), 1);
    let moving = at(1);
    for (const [step, target] of TARGETS.entries()) {
      const next = at(target);
      lanes[target] = turn(moving, TURNS[step] ?? 0);
      moving = next;
    }
    for (let row = 0; row < LANES; row += 5) {
      const before = lanes.slice(row, row + 5);
      const lane = (x: number): bigint => before[x % 5] ?? 0n;
      for (let x = 0; x < 5; x++) lanes[row + x] = lane(x) ^ (~lane(x + 1) & lane(x + 2));
    }
    lanes[0] = at(0) ^ constant;
  }
}

/** Keccak-256 of a text of one block, in hex. */
function keccakHex(text: string): string {
  const block = new Uint8Array(LANES * 8);
  block.set(new TextEncoder().encode(text));
  block[text.length] = 0x01;
  block[RATE_BYTES - 1] = 0x80;
  const view = new DataView(block.buffer);
  const lanes = BigUint64Array.from({ length: LANES }, (_, i) => view.getBigUint64(i * 8, true));
  permute(lanes);
  for (const [i, lane] of lanes.entries()) view.setBigUint64(i * 8, lane, true);
  return Buffer.from(block.subarray(0, 32)).toString('hex');
}

/** Whether the case of each letter of `0x` and 40 hex digits is the one that its checksum asks for. */
export function isChecksummed(address: string): boolean {
  const digits = address.slice(2).toLowerCase();
  const hash = keccakHex(digits);
  const cased = digits.replace(/[a-f]/g, (letter, at: number) =>
    (hash[at] ?? '0') >= '8' ? letter.toUpperCase() : letter,
  );
  return address === `0x${cased}`;
}
