/** Says at every start which settings leave out questions that would be asked. */
import type { PluginContext, Registration } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { Config } from './config.ts'
import type { PendingApprovals } from './pending-approvals.ts'

export const YOLO = 'svc was started with --yolo: dangerous commands run unasked until it ends'

/** What is left out, with the way back. */
export function relaxations({ mode, cron_mode, unknown }: Config): readonly string[] {
  const back = (key: string, value: string) => `to be asked again: svc config set approvals.${key} ${value}`
  return [
    ...(mode === 'off' ? [`approvals.mode is off: dangerous commands run unasked; ${back('mode', 'manual')}`] : []),
    ...(cron_mode === 'approve'
      ? [`approvals.cron_mode is approve: dangerous commands of jobs run unasked; ${back('cron_mode', 'deny')}`]
      : []),
    ...(unknown === 'allow'
      ? [`approvals.unknown is allow: commands that are not understood run unasked; ${back('unknown', 'ask')}`]
      : []),
  ]
}

/** Lists this guard as relaxed until it is loaded again. */
export function reportRelaxed(ctx: PluginContext<Config>, messages: readonly string[]): void {
  for (const message of messages)
    ctx.use(Plugins).report({ plugin: ctx.name, stage: 'guard', code: 'GUARD_OFF', message })
}

/** For one session, which shows it in its status, or for the whole process, which reports it. */
export function askNothing(
  ctx: PluginContext<Config>,
  pending: PendingApprovals,
  sessionId: string | undefined,
): Registration {
  if (sessionId === undefined) reportRelaxed(ctx, [YOLO])
  return pending.askNothing(sessionId)
}
