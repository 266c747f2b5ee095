import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';

/** `2026-03-09 14:30`, as clocks in New York show it. */
export const newYorkText = (at: number): string => `${newYorkDate(epochMs(at))} ${newYorkClock(epochMs(at))}`;
