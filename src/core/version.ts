/** Version of the package. Part of what the result of a backtest depends on. */
export const VERSION = '0.9.0-dev';
