import { Argument, type Command } from 'commander'
import { command, does } from '../command.ts'
import { bash, fish, zsh } from '../completion.ts'

const shells: Record<string, (program: Command) => string> = { bash, zsh, fish }

export function completionCommand(program: Command): void {
	command(program, 'completion', 'a script that completes commands and options in your shell')
		.addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(shells)))
		.addHelpText(
			'after',
			`
  bash: echo 'source <(berth completion bash)' >> ~/.bashrc
  zsh:  echo 'source <(berth completion zsh)' >> ~/.zshrc (after compinit)
  fish: berth completion fish > ~/.config/fish/completions/berth.fish`,
		)
		.action(
			does(async (io, _options, shell) => {
				const script = shells[shell]?.(program) ?? ''
				io.result({ shell, script }, script)
			}),
		)
}
