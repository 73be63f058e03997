/** What the tool `process` does. */
import { SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import { readableOutput } from 'svc/sdk/kit/terminal'
import type { BackgroundProcess } from 'svc/sdk/shell'
import type { Registry } from './registry.ts'
import type { ProcessDeps, ProcessInput } from './tools.ts'
import type { Tracked } from './tracked.ts'

const PREVIEW = 1000
const LOG_LINES = 200
const LOG_CHARACTERS = 50_000
const WAIT_SECONDS = 180
const LONGEST_WAIT = 600

/** Where an action happens. */
interface Scene {
  readonly input: ProcessInput
  readonly turn: ToolContext
  readonly host: ProcessDeps
  readonly registry: Registry
}

/** Performs one action. Throws `PROCESS_...` errors. */
export async function act(input: ProcessInput, turn: ToolContext, deps: ProcessDeps): Promise<ToolResult> {
  const scene = { input, turn, host: deps, registry: await deps.registry() }
  const known = await scene.registry.list(turn.sessionId)
  if (input.action === 'list') return list(known, deps)
  if (input.id === undefined) throw new SvcError('PROCESS_INPUT', `${input.action} needs the id of a process.`)
  // Processes of other sessions are not accessible.
  if (!known.some(({ id }) => id === input.id)) {
    throw new SvcError('PROCESS_UNKNOWN', `This session has no process ${input.id}; list shows those there are.`)
  }
  const tracked = scene.registry.find(input.id)
  if (tracked.row !== undefined) await scene.registry.wait(tracked.id, 1)
  switch (input.action) {
    case 'poll':
      return createProcessResult(tracked, deps, preview(tracked, deps))
    case 'log':
      return log(tracked, scene)
    case 'wait':
      return wait(tracked, scene)
    case 'kill':
      return kill(tracked, scene)
    default:
      return type(tracked, input.action, scene)
  }
}

function list(known: readonly BackgroundProcess[], deps: ProcessDeps): ToolResult {
  const now = deps.clock().now()
  const lines = known.map((state) => deps.mask(`${summary(state, now)}: ${state.command}`))
  return { text: lines.length === 0 ? 'no background processes' : lines.join('\n'), data: { processes: known } }
}

function summary({ id, status, exitCode, pid, startedAt, detached }: BackgroundProcess, now: number): string {
  const how =
    status === 'running' ? 'running' : `exited, ${exitCode === undefined ? 'code unknown' : `code ${exitCode}`}`
  const whose = detached ? ', started by an earlier svc' : ''
  return `${id} ${how} (pid ${pid}, ${Math.max(0, Math.round((now - startedAt) / 1000))} s${whose})`
}

/** The state of one process with some text. */
function createProcessResult(tracked: Tracked, deps: ProcessDeps, output: string, remark = ''): ToolResult {
  const state = tracked.state()
  const now = deps.clock().now()
  const uptimeSeconds = Math.max(0, Math.round((now - state.startedAt) / 1000))
  const parts = [`${summary(state, now)}${remark}`, output.trimEnd()]
  const origin = output.trim() === '' ? {} : { origin: 'output of a command' }
  return { text: parts.filter((part) => part !== '').join('\n'), data: { ...state, uptimeSeconds, output }, ...origin }
}

function preview(tracked: Tracked, deps: ProcessDeps): string {
  return deps.mask(readableOutput(tracked.output.get().text)).slice(-PREVIEW)
}

function log(tracked: Tracked, { input, host }: Scene): ToolResult {
  const { text, omitted } = tracked.output.get()
  const lines = host.mask(readableOutput(text)).trimEnd().split('\n')
  const count = input.limit ?? LOG_LINES
  const from = Math.min(input.offset ?? Math.max(0, lines.length - count), lines.length)
  const shown = lines.slice(from, from + count)
  const before = omitted > 0 ? `, after ${omitted.toLocaleString('en')} characters that are not kept` : ''
  const remark = `; lines ${from} to ${from + shown.length} of ${lines.length}${before}`
  return createProcessResult(tracked, host, shown.join('\n').slice(-LOG_CHARACTERS), remark)
}

async function wait(tracked: Tracked, { input, turn, host, registry }: Scene): Promise<ToolResult> {
  const seconds = Math.min(input.timeout ?? WAIT_SECONDS, LONGEST_WAIT)
  const { status } = await registry.wait(tracked.id, seconds * 1000, turn.signal)
  const over = turn.signal.aborted ? '; interrupted' : `; still running after ${seconds} s`
  return createProcessResult(tracked, host, preview(tracked, host), status === 'running' ? over : '')
}

async function kill(tracked: Tracked, { host, registry }: Scene): Promise<ToolResult> {
  const before = tracked.running
  const { status } = await registry.kill(tracked.id)
  if (!before) return createProcessResult(tracked, host, preview(tracked, host), '; had ended already')
  const remark = status === 'running' ? '; it did not end' : '; killed'
  return {
    ...createProcessResult(tracked, host, preview(tracked, host), remark),
    ...(status === 'running' ? { failed: true } : {}),
  }
}

async function type(tracked: Tracked, action: 'write' | 'submit' | 'close', scene: Scene): Promise<ToolResult> {
  const { input, host } = scene
  const { program } = tracked
  if (program === undefined || !tracked.running) {
    throw new SvcError('PROCESS_NO_INPUT', `${tracked.id} takes no input: it has ended, or an earlier svc started it.`)
  }
  if (action === 'close') {
    program.closeInput()
    return createProcessResult(tracked, host, '', '; its input is closed')
  }
  if (input.data === undefined && action === 'write') throw new SvcError('PROCESS_INPUT', 'write needs data.')
  const text = `${input.data ?? ''}${action === 'submit' ? '\n' : ''}`
  await ask(tracked, text, scene)
  if (!program.write(text)) {
    throw new SvcError('PROCESS_NO_INPUT', `${tracked.id} takes no input any more: it was closed.`)
  }
  return createProcessResult(tracked, host, '', `; ${text.length} characters written`)
}

/** What is typed into a shell is a command like any other: the gates are asked about the line as it then stands. */
async function ask(tracked: Tracked, text: string, { turn }: Scene): Promise<void> {
  const command = tracked.typed + text
  const { allow, reason = 'it was not allowed' } = await turn.permit({ command })
  if (!allow) {
    throw new SvcError('PROCESS_DENIED', `Nothing was written: ${reason}`)
  }
  tracked.typed = command.slice(command.lastIndexOf('\n') + 1)
}
