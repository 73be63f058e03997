/** The svc processes that run in this home: they have the version that they were started with. */
import type { PluginContext } from 'svc/sdk'
import { Control, Plugins } from 'svc/sdk/host'

const WAIT_MS = 2000

/** Such as `gateway (process 4711)`; this process is left out. */
export async function listRunning(ctx: PluginContext<undefined>): Promise<string[]> {
  const control = await ctx.use(Plugins).bring(Control)
  const answers = (await control?.ask('plugins.list', {}, { timeoutMs: WAIT_MS })) ?? []
  return answers.filter(({ pid }) => pid !== process.pid).map(({ command, pid }) => `${command} (process ${pid})`)
}
