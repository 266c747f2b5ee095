import { cash, price, roundTo, shares, type Price, type Shares } from '../../core/amount.ts';
import { rescale, rescalePrice, type Split } from '../corporateAction.ts';
import type {
  Distance,
  EntryTerms,
  ExitLevel,
  StopBuyTerms,
  SyntheticState,
  SyntheticTerms,
} from './syntheticOrder.ts';
import { tickOf } from '../instrument.ts';

/** Synthetic order after a split: the same share of the company at the same value. */
export function rescaleSynthetic(state: SyntheticState, split: Split): SyntheticState {
  const at = (each: Price | null) => each && priceAfter(each, split);
  return {
    ...state,
    order: { ...state.order, terms: termsAfter(state.order.terms, split) },
    takeProfit: at(state.takeProfit),
    secondTakeProfit: at(state.secondTakeProfit),
    stop: at(state.stop),
    mark: at(state.mark),
    ...(state.dividends && {
      dividends: { ...state.dividends, amount: priceAfter(state.dividends.amount, split) },
    }),
    volume: state.volume && { ...state.volume, allowed: sharesAfter(state.volume.allowed, split) },
    children: state.children.map((child) => ({
      ...child,
      filled: sharesAfter(child.filled, split),
      notional: cash(child.notional),
    })),
  };
}

/** Price on the tick, never lower. */
function priceAfter(before: Price, split: Split): Price {
  const exact = price(rescalePrice(before, split));
  return price(roundTo(exact, tickOf(exact), 'up'));
}

const sharesAfter = (quantity: Shares, split: Split): Shares => shares(rescale(quantity, split));

function termsAfter(terms: SyntheticTerms, split: Split): SyntheticTerms {
  const all = (quantity: Shares | 'all') => (quantity === 'all' ? quantity : sharesAfter(quantity, split));
  const limit = (each: Price | null) => each && priceAfter(each, split);
  switch (terms.kind) {
    case 'stop':
      return {
        ...terms,
        quantity: all(terms.quantity),
        stop: priceAfter(terms.stop, split),
        limit: limit(terms.limit),
      };
    case 'stopBuy':
      return stopBuyAfter(terms, split);
    case 'trail':
      return { ...terms, quantity: all(terms.quantity), by: distanceAfter(terms.by, split) };
    case 'oco': {
      const [at, stop] = [priceAfter(terms.price, split), priceAfter(terms.stop, split)];
      return { ...terms, quantity: all(terms.quantity), price: at, stop, limit: limit(terms.limit) };
    }
    case 'bracket':
      return {
        ...terms,
        entry: entryAfter(terms.entry, split),
        takeProfit: terms.takeProfit && levelAfter(terms.takeProfit, split),
        ...(terms.second && {
          second: { ...terms.second, takeProfit: levelAfter(terms.second.takeProfit, split) },
        }),
        stopLoss:
          terms.stopLoss && 'trail' in terms.stopLoss
            ? { ...terms.stopLoss, trail: distanceAfter(terms.stopLoss.trail, split) }
            : terms.stopLoss && levelAfter(terms.stopLoss, split),
      };
    case 'work':
      return {
        ...terms,
        total:
          'notional' in terms.total ? terms.total : { quantity: sharesAfter(terms.total.quantity, split) },
        limit: limit(terms.limit),
      };
  }
}

const distanceAfter = (by: Distance, split: Split): Distance =>
  'amount' in by ? { amount: priceAfter(by.amount, split) } : by;

const levelAfter = (level: ExitLevel, split: Split): ExitLevel =>
  'price' in level ? { price: priceAfter(level.price, split) } : level;

function stopBuyAfter(terms: StopBuyTerms, split: Split): StopBuyTerms {
  const quantity = sharesAfter(terms.quantity, split);
  const limit = terms.limit && priceAfter(terms.limit, split);
  return { ...terms, quantity, stop: priceAfter(terms.stop, split), limit };
}

function entryAfter(entry: EntryTerms, split: Split): EntryTerms {
  if (entry.kind === 'buy') return entry;
  if (entry.kind === 'stopBuy') return stopBuyAfter(entry, split);
  const quantity = sharesAfter(entry.quantity, split);
  return entry.kind === 'limit'
    ? { ...entry, quantity, price: priceAfter(entry.price, split) }
    : { ...entry, quantity };
}
