import { z } from 'zod';
import { InvalidValueError } from '../../core/errors.ts';
import type { QuoteSlippage } from '../../sim/simulatedVenue.ts';
import { parseSlippage } from '../../sim/slippage.ts';
import { cashAmount, readBy } from './fields.ts';

/** @throws {InvalidValueError} naming the forms there are */
function readSlippage(text: string): QuoteSlippage {
  const slippage = parseSlippage(text);
  if (slippage.kind === 'volume')
    throw new InvalidValueError(`${text}: a quote has no volume. Write "none", "bps:5" or "spread:0.5"`);
  return slippage;
}

export const dryRun = z.strictObject({
  cash: cashAmount().describe(
    'mUSD that the simulated account opens with. A state folder keeps to what it began with.',
  ),
  slippage: readBy(z.string(), readSlippage)
    .prefault('spread:0.5')
    .describe(
      'What an order loses against the quote: `none`, `bps:5`, or `spread:0.5` for half a spread in bps and on to the next tick. Fees are those of the venue.',
    ),
});
