import { defineFill } from 'drover/strategy';

/** Pays a tenth of the range of the bar beyond the quote, and takes no more than half of the volume. */
export default defineFill({
  name: 'half-volume',
  fill({ order, bar, quote, volume }) {
    const shares = Math.min(order.shares, volume / 2);
    if (shares === 0) return null;
    const worse = (bar.high - bar.low) / 10;
    const price =
      order.side === 'buy'
        ? Math.min(quote.price + worse, bar.high, order.limit ?? Infinity)
        : Math.max(quote.price - worse, bar.low, order.limit ?? 0);
    return { price, shares };
  },
});
