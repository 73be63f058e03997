/** `svc gateway status`: of the gateway that runs, or of the last one. */
import { type CliArguments, type CliContext, Clock, type PluginContext } from 'svc/sdk'
import { isRunning } from 'svc/sdk/kit/process'
import { paint, safeLine } from 'svc/sdk/kit/terminal'
import type { OutboxStats, PlatformStatus } from 'svc/sdk/platform'
import { formatDuration } from 'svc/sdk/terminal'
import { platformLine } from './announcements.ts'
import { printDoors } from './listen-addresses.ts'
import { askStatus, getGatewayFiles, type Report, runningHolder } from './running-gateway.ts'
import { type GatewayState, readState } from './state-file.ts'

const NOT_RUNNING = 1

/** 0 when it runs, 1 when it does not. */
export async function status(
  ctx: PluginContext<undefined>,
  { options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const report = await askStatus(ctx)
  const now = ctx.use(Clock).now()
  if (options['json'] === true) {
    const shown = report
      ? { isRunning: true, ...report }
      : (createStoppedStatus(ctx) ?? { isRunning: false, state: 'stopped' })
    io.out(`${JSON.stringify(shown, undefined, 2)}\n`)
  } else if (report) print(io, report, now)
  else printLast(ctx, io)
  return report ? 0 : NOT_RUNNING
}

/** The same shape as that of one that runs, as far as it is known. */
export function createStoppedStatus(ctx: PluginContext<undefined>) {
  const last = readState(getGatewayFiles(ctx).state)
  if (!last) return undefined
  const platforms = Object.entries(last.platforms).map(([name, saved]) => ({
    name,
    label: saved.label,
    state: saved.state,
    since: Date.parse(saved.updated_at),
    ...(saved.error_code !== null && { code: saved.error_code }),
    ...(saved.error_message !== null && { reason: saved.error_message }),
    ...(saved.contact !== undefined && { contact: saved.contact }),
  }))
  return {
    isRunning: false,
    state: last.gateway_state === 'startup_failed' ? 'startup_failed' : 'stopped',
    exitReason: explainEnd(ctx, last),
    startedAt: Date.parse(last.start_time),
    endedAt: Date.parse(last.updated_at),
    platforms,
    outbox: last.outbox,
  }
}

function explainEnd(ctx: PluginContext<undefined>, last: GatewayState): string {
  if (last.exit_reason !== null) return last.exit_reason
  if (isRunning({ pid: last.pid, identity: last.born })) return `Process ${last.pid} runs but does not answer.`
  if (runningHolder(ctx)) return 'It is being started.'
  return 'It ended without saying why: it was killed, or the machine went down.'
}

function print(io: CliContext, report: Report, now: number): void {
  const { state, pid, supervisor, startedAt, platforms, doors, unguarded, busy, conversations, inbox, outbox } = report
  const { drainedAt } = report
  const colour = state === 'running' ? 'green' : 'yellow'
  const watched = supervisor === undefined ? 'not supervised' : `supervised by ${supervisor}`
  io.out(`Gateway  ${paint(io, colour, state)}, process ${pid}, ${watched}, up ${formatDuration(now - startedAt)}\n`)
  if (drainedAt !== undefined)
    io.out(
      `Drained  It begins no turns since ${formatDuration(now - drainedAt)}. End that: svc gateway drain --cancel\n`,
    )
  const shown = platforms.filter((platform) => platform.state !== 'disabled')
  for (const platform of shown) io.out(`  ${platformLine(io, platform, formatConnectionTime(platform, now))}\n`)
  printDoors(io, doors)
  if (shown.length === 0) io.out('  No platform is connected.\n')
  const off = platforms.filter((platform) => platform.state === 'disabled')
  if (off.length > 0) io.out('Not set up\n')
  for (const platform of off) io.out(`  ${platformLine(io, platform)}\n`)
  io.out(`Chats    ${conversations} open, ${busy} being answered, ${inbox.waiting} waiting\n`)
  for (const { plugin, state: how, reason = '' } of unguarded)
    io.out(`${paint(io, 'yellow', 'Not guarded')}  ${plugin} (${how}): ${safeLine(reason)}\n`)
  printOutbox(io, outbox)
}

function formatConnectionTime({ state, aliveAt, retryAt, attempts, contact }: PlatformStatus, now: number): string {
  if (retryAt !== undefined) return `Again in ${formatDuration(Math.max(0, retryAt - now))} (attempt ${attempts}).`
  const heard = state === 'connected' && aliveAt !== undefined ? [`heard of ${formatDuration(now - aliveAt)} ago`] : []
  return [...heard, ...(contact === undefined ? [] : [safeLine(contact)])].join(', ')
}

function printOutbox(io: CliContext, { pending, attempting, uncertain, failed }: OutboxStats): void {
  io.out(`Outbox   ${pending + attempting} to be sent, ${uncertain} uncertain, ${failed} failed\n`)
  if (uncertain > 0) io.out('  It is not known whether these arrived. Decide: svc outbox list --state uncertain\n')
  if (failed > 0) io.out('  These were refused. What and why: svc outbox list --state failed\n')
}

function printLast(ctx: PluginContext<undefined>, io: CliContext): void {
  const last = createStoppedStatus(ctx)
  const at = last && new Date(last.endedAt).toLocaleString('sv-SE')
  io.out(`Gateway  ${paint(io, 'yellow', 'not running')}${at === undefined ? '' : ` since ${at}`}\n`)
  if (last) io.out(`  ${safeLine(last.exitReason)}\n`)
  for (const platform of last?.platforms ?? [])
    if (platform.state === 'fatal') io.out(`  ${platformLine(io, { attempts: 0, ...platform })}\n`)
  if (last) printOutbox(io, last.outbox)
  io.out('Start it: svc gateway start\n')
}
