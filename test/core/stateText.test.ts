import { describe, expect, test } from 'vitest';
import { packed, PackedMap, restoreState, stateText } from '../../src/core/stateText.ts';

const restored = (state: object, text: string): void => restoreState(state, Buffer.from(text));

type Item = Readonly<{ amount: bigint; tags?: readonly string[] }>;

class Shared {
  private readonly sums = new Map<string, Map<string, bigint>>();
  readonly count: number = 0;

  add(whose: string, what: string): void {
    const own = this.sums.get(whose) ?? new Map<string, bigint>();
    this.sums.set(whose, own.set(what, (own.get(what) ?? 0n) + 1n));
    (this as { count: number }).count++;
  }

  of(whose: string, what: string): bigint | undefined {
    return this.sums.get(whose)?.get(what);
  }
}

/** A state with each kind of field. */
class State {
  readonly #shared: Shared;
  readonly seen = new Set<string>();
  items = new Map<string, Item>();
  readonly list: bigint[] = [];
  last: Readonly<{ at: number }> | null = null;
  readonly given = new Map<string, unknown>();
  readonly part = new Shared();

  constructor() {
    this.#shared = this.part;
  }

  add(name: string, amount: bigint): void {
    this.#shared.add(name, 'added');
    this.seen.add(name);
    this.items.set(name, { amount });
    this.list.push(amount);
    this.last = { at: this.list.length };
  }
}

const stateOf = (...names: string[]): State => {
  const state = new State();
  names.forEach((name, index) => state.add(name, BigInt(index) * 10n ** 20n));
  return state;
};

const withPackedItems = (state: State) => stateText({ ...state, items: packed(state.items) }).toString();

describe('a restored state', () => {
  test('has the same content as the original, and continues like it', () => {
    const [then, now] = [stateOf('a', 'b', 'a'), stateOf('c')];
    const { part } = now;
    restored(now, withPackedItems(then));
    expect(withPackedItems(now)).toBe(withPackedItems(then));
    for (const state of [then, now]) state.add('b', 7n);
    expect(withPackedItems(now)).toBe(withPackedItems(then));
    expect(now.part).toBe(part);
    expect(part.of('b', 'added')).toBe(2n);
  });

  test('reads a packed value at its first use, and writes it unchanged', () => {
    const then = stateOf('a', 'b');
    const text = withPackedItems(then);
    const now = new State();
    restored(now, text.replaceAll('"$n":"100000000000000000000"', '"$n":"0100000000000000000000"'));
    expect(now.items).toBeInstanceOf(PackedMap);
    expect(now.items.get('b')).toEqual({ amount: 10n ** 20n });
    expect(withPackedItems(now)).toContain('"$n":"0100000000000000000000"');
    expect([...now.items]).toEqual([...then.items]);
    expect([...now.items.values()]).toEqual([...then.items.values()]);
    const each: unknown[] = [];
    now.items.forEach((item, name) => each.push([name, item]));
    expect(each).toEqual([...then.items]);
    expect(new Map(now.items)).toEqual(new Map(then.items));
  });

  test.each([
    [{ $n: '12' }],
    [{ $$n: 1 }],
    [{ $m: [['a', 1]] }],
    [{ $s: [1], b: 2 }],
    [{ $p: ['a'] }],
    [[{ $s: [1] }, null, 'x']],
    [{ $n: 5n }],
  ])('of case %# returns the values a strategy kept, with their types', (value) => {
    const [then, now] = [new State(), new State()];
    then.given.set('of a strategy', value);
    restoreState(now, stateText(then));
    expect(now.given.get('of a strategy')).toEqual(value);
  });
});

describe('an incompatible state text', () => {
  const text = withPackedItems(stateOf('a', 'b'));
  test.each([
    ['has a field too few', text.replace('"last":', '"former":')],
    ['has a field too many', text.replace('"last":', '"more":1,"last":')],
    ['has a different field', text.replace('"count":', '"counted":')],
    ['lacks lines', text.split('\n').slice(0, -1).join('\n')],
    ['is truncated', text.slice(0, 30)],
    ['is empty', ''],
    ['is a list', '[]'],
  ])('that %s is refused, and changes nothing', (_what, other) => {
    const state = stateOf('c');
    const before = withPackedItems(state);
    expect(() => restored(state, other)).toThrow();
    expect(withPackedItems(state)).toBe(before);
  });
});
