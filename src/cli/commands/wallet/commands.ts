import type { Command } from 'commander';
import { withSendFlags, withExamples, type Wire } from '../../wire.ts';

/** `drover wallet …` */
export function addWallet(program: Command, wire: Wire): void {
  const wallet = program.command('wallet').description('use the wallet whose key is configured');
  withExamples(wallet, ['wallet allowance USDC', "what the venue's contract may take"]);
  const address = wallet
    .command('address')
    .description('show its address, and whether it is venue.userAddress');
  wire(address, async () => (await import('./show.ts')).walletAddress);
  const allowance = wallet
    .command('allowance')
    .description("show how much the venue's contract may take from the wallet")
    .argument('[token]', 'one token or stock (default: all)')
    .option('--spender <address>', 'the contract that may take it, overriding the config');
  wire(allowance, async () => (await import('./show.ts')).walletAllowance);
  const approve = wallet
    .command('approve')
    .description("approve a token amount for the venue's contract; sent through venue.rpcUrl")
    .argument('<token>', 'such as USDC or AAPL')
    .argument('<amount>', 'in whole tokens or shares; 0 revokes the approval');
  wire(withSendFlags(approve), async () => (await import('./approve.ts')).walletApprove);
  const cancel = wallet
    .command('cancel')
    .description('replace a pending transaction with an empty one, at higher fees')
    .argument('<nonce>', 'nonce, as given in the error about a stuck transaction');
  wire(withSendFlags(cancel), async () => (await import('./cancel.ts')).walletCancel);
  const show = wallet
    .command('show')
    .description('show the outcome of a transaction, such as an approval; needs venue.rpcUrl')
    .argument('<tx>', 'hash of the transaction')
    .option('--wait', 'wait until it is mined; Ctrl-C only ends the waiting');
  wire(show, async () => (await import('./show.ts')).walletShow);
}
