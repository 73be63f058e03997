/** Whether a change of a plugin was interrupted: for `svc doctor`. */
import type { PluginContext } from 'svc/sdk'
import type { HealthCheck } from 'svc/sdk/host'

export function changesCheck(ctx: PluginContext<undefined>): HealthCheck {
  return {
    name: 'plugin-changes',
    title: 'Changes',
    order: 61,
    async check() {
      const { describeInterrupted, findInterrupted } = await import('./versions/interrupted.ts')
      const found = findInterrupted(ctx)
      if (!found) return [{ state: 'ok', text: 'No change of a plugin was interrupted.' }]
      return [{ state: 'warning', text: describeInterrupted(found), fix: 'svc plugins recover' }]
    },
  }
}
