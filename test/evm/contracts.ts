import { readFileSync } from 'node:fs';
import { parseAbi, type Hex } from 'viem';

const bytecode = (name: string): Hex =>
  `0x${readFileSync(new URL(`contracts/${name}.bin`, import.meta.url), 'utf8').trim()}`;

export const tokenBytecode = bytecode('Venue_sol_Token');
export const routerBytecode = bytecode('Venue_sol_Router');

/** Tokens of stocks by the function with which they state a multiplier, which `set` changes. */
export const stockBytecode = {
  uiMultiplier: bytecode('Stock_sol_UiStock'),
  getCurrentMultiplier: bytecode('Stock_sol_GrowingStock'),
  balancePerShare: bytecode('Stock_sol_PerShareStock'),
};
export const stockAbi = parseAbi(['function set(uint256 to)']);

export const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
]);

/** Functions of the tests' router in addition to the venue's. Amounts in wads. */
export const ledgerAbi = parseAbi([
  'function cash(address user) view returns (uint256)',
  'function orders(bytes32 orderId) view returns (address user, uint256 locked)',
  'event OrderPlaced(bytes32 indexed orderId, address indexed user, address stock, uint256 locked)',
]);
