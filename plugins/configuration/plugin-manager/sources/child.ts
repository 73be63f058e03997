/** How npm and git are run for a command. */
import { type CliContext, Clock, type PluginContext, Secrets } from 'svc/sdk'
import type { ChildRun } from 'svc/sdk/kit/process'

export function childRun(ctx: PluginContext<undefined>, { signal }: Pick<CliContext, 'signal'>): ChildRun {
  return { clock: ctx.use(Clock), secrets: ctx.use(Secrets), signal }
}
