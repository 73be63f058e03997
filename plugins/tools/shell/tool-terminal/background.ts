/** Commands that do not run in the session's shell: in the background, or in a separate terminal. */
import { type Clock, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import {
  type BackgroundProcess,
  type BackgroundProcesses,
  type BackgroundProcessOptions,
  type SandboxNeed,
  type ShellEnvironment,
  shellQuote,
} from 'svc/sdk/shell'
import { Capture } from './capture.ts'
import type { Guard } from './cleanup-process.ts'
import type { OpenTerminals } from './open-terminals.ts'
import { endFamily, MARK_VARIABLE } from './processes.ts'
import { OUTPUT, report } from './report.ts'
import { checkedSeconds, OUTPUT_LIMIT, resolveWorkingFolder } from './run-command.ts'
import type { OpenTerminal, TerminalDeps, TerminalInput } from './tools.ts'
import { exportLine } from './variables.ts'

/** How long a process is watched for an end that came at once, such as that of a misspelt command. */
const FIRST_LOOK_MS = 200

export interface BackgroundDeps {
  readonly places: OpenTerminals
  readonly guard: Guard
  readonly mark: () => string
}

/** They answer once and cannot say anything later. */
const SILENT_SURFACES: ReadonlySet<string> = new Set(['api', 'cron', 'webhook'])

/** Starts it, and waits for its end unless it is for the background. Throws `TERMINAL_NO_PROCESSES`. */
export async function runApart(input: TerminalInput, turn: ToolContext, deps: TerminalDeps): Promise<ToolResult> {
  const seconds = checkedSeconds(input, deps.config.timeout)
  if ((input.notify_on_complete || input.watch_patterns?.length) && SILENT_SURFACES.has(turn.surface)) {
    const hint = 'leave notify_on_complete and watch_patterns out, and look with the tool process'
    throw new SvcError(
      'TERMINAL_BAD_OPTIONS',
      `The result cannot be reported later on ${turn.surface}: ${hint}. Nothing was run.`,
    )
  }
  const processes = deps.processes()
  if (processes === undefined) {
    const hint = 'switch on the plugin tool-process, or run the command in the foreground without pty'
    throw new SvcError('TERMINAL_NO_PROCESSES', `Nothing keeps track of background processes: ${hint}.`)
  }
  turn.signal.throwIfAborted()
  const open = await deps.open()
  const request = await prepare(input, turn, deps, open)
  open.background.guard.beginForGood()
  const process = await processes.start(request)
  return input.background
    ? startedResult(await processes.wait(process.id, FIRST_LOOK_MS, turn.signal), processes, deps)
    : waitFor(process, { command: input.command, seconds }, turn, { host: deps, processes, shells: open.shells })
}

async function prepare(
  input: TerminalInput,
  turn: ToolContext,
  deps: TerminalDeps,
  { shells, background }: OpenTerminal,
): Promise<BackgroundProcessOptions> {
  const { sessionId, cwd } = turn
  const terminal = await background.places.open(sessionId, cwd)
  const confining = await deps.confining()
  await confining.hold(input, terminal.confined === true, () => background.places.drop(sessionId))
  const mark = background.mark()
  const pty = input.pty ?? false
  const left = shells.getFolder(sessionId)
  const variables = await deps.variables(input.command, turn)
  const common = {
    ...{ sessionId, command: input.command, pty },
    notifyOnComplete: input.notify_on_complete ?? false,
    watchPatterns: input.watch_patterns ?? [],
  }
  if (terminal.elsewhere) {
    const { endMarked } = await import('./remote-shell.ts')
    const command = startCommand(input.command, { pty, mark, variables, folder: input.workdir ?? left })
    const end = () => endMarked(terminal, mark, deps.clock())
    return { ...common, launch: await terminal.launch({ command, pty }), end }
  }
  const folder = (await resolveWorkingFolder(input.workdir, cwd)) ?? left ?? cwd
  const needs = confining.getNeeds(input)
  const launch = await near(terminal, input.command, { pty, mark, folder, needs, variables })
  return { ...common, launch, end: (pid) => endProcess(pid, mark, deps.clock()) }
}

interface LocalOptions {
  readonly pty: boolean
  readonly mark: string
  readonly folder: string
  readonly needs: readonly SandboxNeed[]
  readonly variables: Readonly<Record<string, string>>
}

async function near(terminal: ShellEnvironment, text: string, options: LocalOptions) {
  const { pty, mark, folder, needs, variables } = options
  const launch = await terminal.launch({
    command: startCommand(text, { pty, mark, variables }),
    pty,
    cwd: folder,
    needs,
  })
  return { ...launch, environment: { ...launch.environment, [MARK_VARIABLE]: mark } }
}

/** `sh` is everywhere; bash, which people mean, is looked for where the command will run. */
function startCommand(
  text: string,
  setting: { pty: boolean; mark: string; folder?: string | undefined; variables: Readonly<Record<string, string>> },
): string[] {
  const { pty, mark, folder, variables } = setting
  const lines = [
    `export ${MARK_VARIABLE}=${shellQuote(mark)}`,
    exportLine(variables),
    ...(folder === undefined ? [] : [`cd -- ${shellQuote(folder)} || exit 1`]),
    ...(pty ? [] : ['exec 2>&1']),
    'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; fi',
    'exec sh -c "$1"',
  ]
  return ['sh', '-c', lines.join('\n'), 'sh', text]
}

function endProcess(pid: number, mark: string, clock: Clock): Promise<void> {
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(pid, name)
    } catch (error) {
      // It may have ended a moment before.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  return endFamily({ pid, mark, signal }, clock)
}

async function startedResult(
  state: BackgroundProcess,
  processes: BackgroundProcesses,
  deps: TerminalDeps,
): Promise<ToolResult> {
  const { id, pid, status, exitCode } = state
  const data = { processId: id, pid, status, ...(exitCode === undefined ? {} : { exitCode }) }
  if (status === 'running') return { text: `${id} runs in the background (pid ${pid})`, data }
  const output = deps.mask((await processes.output(id)).text).trim()
  const text = [output, `[${id} has ended already, exit ${exitCode ?? 'unknown'}]`]
    .filter((part) => part !== '')
    .join('\n')
  return { text, data, ...(output === '' ? {} : { origin: OUTPUT }), ...(exitCode === 0 ? {} : { failed: true }) }
}

interface LaunchDeps {
  readonly host: TerminalDeps
  readonly processes: BackgroundProcesses
  readonly shells: OpenTerminal['shells']
}

/** Waits in the foreground for a process with a separate terminal. */
async function waitFor(
  { id }: BackgroundProcess,
  { command, seconds }: { readonly command: string; readonly seconds: number },
  turn: ToolContext,
  { host, processes, shells }: LaunchDeps,
): Promise<ToolResult> {
  const clock = host.clock()
  const startedAt = clock.monotonic()
  const seen = await processes.wait(id, seconds * 1000, turn.signal)
  const over = turn.signal.aborted ? 'interrupted' : 'timeout'
  const end = seen.status === 'exited' ? 'done' : over
  if (end !== 'done') await processes.kill(id)
  const { text, omitted } = await processes.output(id)
  await processes.forget(id)
  const capture = new Capture(OUTPUT_LIMIT)
  capture.add(
    Buffer.from(omitted > 0 ? `[... ${omitted.toLocaleString('en')} characters before this ...]\n${text}` : text),
  )
  // The session's shell stays where it is.
  const cwd = shells.getFolder(turn.sessionId) ?? turn.cwd
  const stopped = end === 'timeout' ? 124 : 130
  const outcome = { end, exitCode: end === 'done' ? (seen.exitCode ?? 1) : stopped, cwd } as const
  return report({
    ...{ command, seconds, outcome, cwdBefore: cwd, apart: true, mask: host.mask },
    durationMs: Math.round(clock.monotonic() - startedAt),
    captured: capture.finish(),
    loan: { notes: [], earlier: new Capture(0).finish() },
  })
}
