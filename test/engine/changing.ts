import type { TradingRules } from '../../src/domain/limits.ts';
import type { z } from 'zod';
import { epochMs } from '../../src/core/brand.ts';
import { parseCommand, type Command, type commands } from '../../src/emulator/machine/commands.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import { Kernel } from '../../src/engine/kernel/kernel.ts';
import { replay, type ReplayResult } from '../../src/engine/runtime/replay.ts';
import { memoryJournal } from '../store/memoryJournal.ts';
import type { Orders, StrategyHooks } from '../../src/strategy/index.ts';
import { EmulatedWorld } from './emulated.ts';

type Constants = z.input<(typeof commands)['constants']>;

/** An event some minutes after the start of a run: an order of the strategy, or a changed value of the venue. */
export type Happening = Readonly<
  { minute: number } & (
    | { order: (order: Orders) => void }
    | { constants: Constants }
    | { faults: object }
    | { command: Command }
  )
>;

/** A run of some minutes on an emulator whose constants change during it. */
export class ChangingVenue {
  readonly world = new EmulatedWorld();

  /** Plays so many minutes; a second call is a restart on the same journal. */
  async play(
    minutes: number,
    happenings: readonly Happening[],
    rules: Partial<TradingRules> = {},
  ): Promise<this> {
    const { clock } = this.world;
    const start = clock.now();
    for (const each of happenings)
      if (!('order' in each))
        clock.at(epochMs(start + each.minute * 60_000), () => this.world.command(commandOf(each)));
    const hooks = hooksFor(happenings);
    await this.world.run(minutes, { hooks, rules: { limits: { feeBps: 25 }, ...rules } });
    return this;
  }

  get kernel(): Kernel {
    if (!this.world.runner) throw new Error('nothing was played');
    return this.world.runner.kernel;
  }

  get orders(): Order[] {
    return [...this.kernel.context.accountState.orders.values()];
  }

  /** How each order has ended, in the order of their creation. */
  get ends(): string[] {
    return this.orders.map(({ state }) => (state.kind === 'closed' ? state.how : state.kind));
  }

  get alarms(): string[] {
    return this.world.alarms;
  }

  get frozen(): string[] {
    return [...this.kernel.context.accountState.frozen.keys()];
  }

  get entries(): JournalEntry[] {
    return [...memoryJournal(this.world.lines).entries()];
  }

  factsOf<Kind extends JournalEntry['fact']['kind']>(
    kind: Kind,
  ): Extract<JournalEntry['fact'], { kind: Kind }>[] {
    return this.entries.flatMap(({ fact }) =>
      fact.kind === kind ? [fact as Extract<JournalEntry['fact'], { kind: Kind }>] : [],
    );
  }

  /** Replay of the whole journal. */
  replayed(entries = this.entries): ReplayResult {
    const { options } = this.world;
    if (!options) throw new Error('nothing was played');
    const { calendar, rules, strategies } = options;
    const obstacles = { reason: () => null };
    return replay(entries, () => new Kernel({ calendar, rules, strategies, obstacles }));
  }
}

/** Orders at their minutes since the strategy's start, so that a replay decides the same. */
function hooksFor(happenings: readonly Happening[]): StrategyHooks {
  const orders = happenings.flatMap((each) => ('order' in each ? [each] : []));
  let [start, done] = [0, 0];
  return {
    onStart({ view }) {
      [start, done] = [view.now, 0];
    },
    onQuote({ order, view }) {
      for (const { minute, order: act } of orders.slice(done)) {
        if (view.now < start + minute * 60_000) return;
        done++;
        act(order);
      }
    },
  };
}

function commandOf(each: Exclude<Happening, { order: unknown }>): Command {
  if ('command' in each) return each.command;
  return 'faults' in each ? parseCommand('faults', each.faults) : parseCommand('constants', each.constants);
}
