export * from './market.ts';
export * from './account.ts';
export * from './orders.ts';
export * from './debts.ts';
export * from './cash.ts';
export * from './stock.ts';
export * from './oneClick.ts';
