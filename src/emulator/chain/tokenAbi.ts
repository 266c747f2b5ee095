import { parseAbi } from 'viem/utils';

/** What the cash token and every stock token can be asked (ERC-20). Amounts in raw units. */
export const tokenReads = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);

/** What a wallet can have a token do. */
export const tokenAbi = parseAbi(['function approve(address spender, uint256 amount) returns (bool)']);
