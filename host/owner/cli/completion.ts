import type { Command } from 'commander'

/** One command of the tree, as `admin accounts create`; the root's path is empty. */
interface CommandWords {
	path: string
	commands: readonly Command[]
	/** Words that one of its arguments is one of. */
	choices: readonly string[]
	options: Command['options']
}

/** Inner commands before the ones around them, so that the first that fits is the right one. */
function places(command: Command, path = ''): CommandWords[] {
	const below = command.commands.flatMap((inner) => places(inner, `${path} ${inner.name()}`.trim()))
	const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
	return [...below, { path, commands: command.commands, choices, options: command.options }]
}

function wordsOf({ commands, choices, options }: CommandWords): string[] {
	const flags = options.flatMap(({ long }) => long ?? [])
	return [...commands.map((inner) => inner.name()), ...choices, ...flags, '--help']
}

/** Patterns over the words before the cursor that are no options, with a blank before each. */
function cases(program: Command): string {
	return places(program)
		.map((place) => `\t\t'${place.path && ` ${place.path} `}'*) candidates='${wordsOf(place).join(' ')}' ;;`)
		.join('\n')
}

export function bash(program: Command): string {
	return `_berth() {
	local word before= candidates=
	for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || before="$before $word"; done
	case "$before " in
${cases(program)}
	esac
	COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _berth berth`
}

export function zsh(program: Command): string {
	return `#compdef berth
_berth() {
	local word before= candidates=
	for word in "\${words[@]:1:CURRENT-2}"; do [[ $word == -* ]] || before="$before $word"; done
	case "$before " in
${cases(program)}
	esac
	compadd -- \${=candidates}
	_files
}
compdef _berth berth`
}

export function fish(program: Command): string {
	const lines = places(program).flatMap((place) => {
		const at = `complete -c berth -n "__berth_at '${place.path}'"`
		return [
			...place.commands.map((inner) => `${at} -f -a '${inner.name()}' -d '${quoted(inner.description())}'`),
			...place.choices.map((choice) => `${at} -f -a '${choice}'`),
			...place.options.map(
				({ long, short, required, description }) =>
					`${at} -l '${long?.slice(2)}'${short ? ` -s '${short.slice(1)}'` : ''}${required ? ' -r' : ''} -d '${quoted(description)}'`,
			),
		]
	})
	return `function __berth_at
	set -l before (string match -v -- '-*' (commandline -opc)[2..])
	if test -z "$argv[1]"
		test -z "$before"
	else
		string match -q -- "$argv[1] *" "$before "
	end
end
${lines.join('\n')}`
}

function quoted(text: string): string {
	return text.replace(/[\\']/g, '\\$&')
}
