/** The gateway and its platforms, for `svc status`. */
import { Clock, type PluginContext } from 'svc/sdk'
import type { StatusLine } from 'svc/sdk/operations'
import type { OutboxStats, PlatformState, PlatformStatus } from 'svc/sdk/platform'
import { formatDuration } from 'svc/sdk/terminal'
import { askStatus } from './running-gateway.ts'
import { createStoppedStatus } from './status.ts'

const STATES: Readonly<Record<PlatformState, StatusLine['state']>> = {
  connected: 'ok',
  connecting: undefined,
  degraded: 'warning',
  retrying: 'warning',
  paused: undefined,
  disabled: undefined,
  fatal: 'problem',
}

export async function readGatewayStatus(ctx: PluginContext<undefined>): Promise<readonly StatusLine[]> {
  const report = await askStatus(ctx)
  if (!report) {
    const last = createStoppedStatus(ctx)
    if (!last) return [{ label: 'Gateway', text: 'not running', fix: 'svc gateway start' }]
    const stopped: StatusLine = { label: 'Gateway', text: `not running: ${last.exitReason}`, fix: 'svc gateway start' }
    return [stopped, ...describeOutbox(last.outbox)]
  }
  const { state, startedAt, platforms, busy, outbox, unguarded } = report
  const up = formatDuration(ctx.use(Clock).now() - startedAt)
  const unsafe = unguarded.map(({ plugin, reason = '' }) => `${plugin} ${reason}`.trim()).join('; ')
  return [
    {
      ...{ label: 'Gateway', text: `${state}, up ${up}, turns under way: ${busy}` },
      state: state === 'running' ? 'ok' : 'warning',
    },
    ...(unsafe === ''
      ? []
      : [{ label: 'Not guarded', text: unsafe, state: 'problem' as const, fix: 'svc plugins list' }]),
    ...platforms.filter((platform) => platform.state !== 'disabled').map(describePlatform),
    ...describeOutbox(outbox),
  ]
}

function describePlatform({ name, label, state, reason }: PlatformStatus): StatusLine {
  const mark = STATES[state]
  return {
    ...{ label, text: reason === undefined ? state : `${state}: ${reason}` },
    ...(mark && { state: mark }),
    ...(state === 'fatal' && { fix: `svc gateway resume ${name}` }),
  }
}

function describeOutbox({ uncertain, failed }: OutboxStats): readonly StatusLine[] {
  if (uncertain + failed === 0) return []
  const text = `messages that are uncertain: ${uncertain}, refused: ${failed}`
  return [{ label: 'Outbox', text, state: 'warning', fix: 'svc outbox list' }]
}
