/** Version of the package. Affects the results of a backtest. */
export const VERSION = '0.9.0-dev';
