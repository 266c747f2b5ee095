import { tradingCalendar } from '../../calendar/index.ts';
import { DOCUMENTED_FEES } from '../../domain/documented.ts';
import { Kernel } from '../../engine/kernel.ts';

/** The kernel of a run without strategies, for commands that look at a journal and the venue: it places nothing. */
export const dormantKernel = (): Kernel =>
  new Kernel({
    calendar: tradingCalendar,
    rules: {
      limits: {},
      ownLimits: new Map(),
      collarBps: 0,
      deadlineMs: 0,
      fees: DOCUMENTED_FEES,
    },
    strategies: [],
    obstacles: { reason: () => 'only an operator is at work' },
  });
