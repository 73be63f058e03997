/** Dashboards of this home, for `svc status`. */
import type { PluginContext } from 'svc/sdk'
import type { StatusLine } from 'svc/sdk/operations'
import type { Config } from './config.ts'
import { askRunning } from './running.ts'

export async function readDashboardStatus(ctx: PluginContext<Config>): Promise<readonly StatusLine[]> {
  const running = await askRunning(ctx)
  if (running.length === 0) return [{ label: 'Dashboard', text: 'not running', fix: 'svc dashboard' }]
  return running.map(({ kind, url, pid }) => ({
    ...{ label: kind === 'serve' ? 'Desktop server' : 'Dashboard', text: `${url} (process ${pid})` },
    state: 'ok',
  }))
}
