import { readFileSync } from 'node:fs';
import { parseAbi, type Hex } from 'viem';

const bytecode = (name: string): Hex =>
  `0x${readFileSync(new URL(`contracts/Venue_sol_${name}.bin`, import.meta.url), 'utf8').trim()}`;

export const tokenBytecode = bytecode('Token');
export const routerBytecode = bytecode('Router');

export const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
]);

/** What the router of the tests has beside the functions of the venue's. Amounts in wads. */
export const ledgerAbi = parseAbi([
  'function cash(address user) view returns (uint256)',
  'function orders(bytes32 orderId) view returns (address user, uint256 locked)',
  'event OrderPlaced(bytes32 indexed orderId, address indexed user, address stock, uint256 locked)',
]);
