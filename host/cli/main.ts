import { Command, CommanderError } from 'commander'
import { adminCommand } from './commands/admin.ts'
import { approvalsCommand, approveCommand, denyCommand } from './commands/approvals.ts'
import { budgetsCommand } from './commands/budgets.ts'
import { bundleCommand } from './commands/bundle.ts'
import { connectCommand } from './commands/connect.ts'
import { credentialsCommand } from './commands/credentials.ts'
import { deployCommand } from './commands/deploy.ts'
import { doctorCommand } from './commands/doctor.ts'
import { initCommand } from './commands/init.ts'
import { inspectCommand } from './commands/inspect.ts'
import { deleteCommand, startCommand, stopCommand } from './commands/lifecycle.ts'
import { listCommand } from './commands/list.ts'
import { loginCommand } from './commands/login.ts'
import { memoryCommand } from './commands/memory.ts'
import { replayCommand } from './commands/replay.ts'
import { rotateCommand } from './commands/rotate.ts'
import { runCommand } from './commands/run.ts'
import { cancelCommand, eventsCommand, runsCommand } from './commands/runs.ts'
import { schedulesCommand } from './commands/schedules.ts'
import { serveCommand } from './commands/serve.ts'
import { settingsCommand } from './commands/settings.ts'
import { toolsCommand } from './commands/tools.ts'
import { rollbackCommand, updateCommand } from './commands/versions.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { whoamiCommand } from './commands/whoami.ts'
import { documentOf, UsageError } from './failure.ts'
import { createIo } from './io.ts'

// Whoever read our output has closed it (`berth … | head`): nothing is left to say, and that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const program = new Command('berth')
	.description('A home for deployed AI agents')
	.exitOverride()
	.showHelpAfterError('(add --help for what it takes)')

/** The order of the help: sign in, make an agent, deploy it, run it, look after it, run a host. */
const commands = [
	loginCommand,
	whoamiCommand,
	initCommand,
	bundleCommand,
	inspectCommand,
	deployCommand,
	connectCommand,
	credentialsCommand,
	toolsCommand,
	rotateCommand,
	runCommand,
	runsCommand,
	eventsCommand,
	cancelCommand,
	replayCommand,
	approvalsCommand,
	approveCommand,
	denyCommand,
	listCommand,
	stopCommand,
	startCommand,
	updateCommand,
	rollbackCommand,
	deleteCommand,
	memoryCommand,
	webhooksCommand,
	schedulesCommand,
	budgetsCommand,
	serveCommand,
	doctorCommand,
	adminCommand,
	settingsCommand,
]
for (const add of commands) add(program)

try {
	await program.parseAsync()
} catch (error) {
	if (!(error instanceof CommanderError)) throw error
	// Help and version are no failures; everything else commander finds, and has told, is wrong usage.
	process.exitCode = error.exitCode === 0 ? 0 : 2
	if (error.exitCode !== 0 && process.argv.includes('--json'))
		createIo({ json: true }).result(documentOf(new UsageError(error.message.replace(/^error: /, ''))), '')
}
