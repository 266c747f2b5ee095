import { Argument, type Command } from 'commander';
import { withExamples, type Wire } from '../../wire.ts';
import { SHELLS, type Shell } from './scripts.ts';

/** `drover completion` */
export function addCompletion(program: Command, wire: Wire): void {
  const completion = program
    .command('completion')
    .description('print the script that lets a shell complete commands and flags')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS));
  wire<Readonly<{ shell: Shell }>>(completion, async () => {
    const [{ completionScript }, { commandTable }, { bundledStrategies }] = await Promise.all([
      import('./scripts.ts'),
      import('./table.ts'),
      import('../../../app/strategies/bundleStrategy.ts'),
    ]);
    return ({ shell }, { terminal }) => {
      terminal.out(completionScript(shell, commandTable(program, [...bundledStrategies().keys()])).trimEnd());
      return 0;
    };
  });
  withExamples(
    completion,
    ['completion bash > ~/.local/share/bash-completion/completions/drover', 'bash'],
    ['completion zsh > ~/.zfunc/_drover', 'zsh, with ~/.zfunc in fpath before compinit'],
    ['completion fish > ~/.config/fish/completions/drover.fish', 'fish'],
  );
}
