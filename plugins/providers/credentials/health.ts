/** Whether stored keys are in use: for `svc doctor`. */
import type { HealthCheck } from 'svc/sdk/host'
import type { Credentials } from 'svc/sdk/provider'

export function keysCheck(credentials: () => Pick<Credentials, 'list'>): HealthCheck {
  return {
    name: 'keys',
    title: 'Keys',
    order: 30,
    async check() {
      const keys = await credentials().list()
      const out = keys.filter(({ status }) => status !== 'ok')
      if (out.length === 0) return [{ state: 'ok', text: keys.length > 0 ? `${keys.length} stored.` : 'None stored.' }]
      return out.map(({ provider, label, status, error = 'the service refused it' }) => ({
        state: status === 'dead' ? 'problem' : 'warning',
        text: `The key ${label} of ${provider} ${status === 'dead' ? 'was disabled' : 'is cooling down'}: ${error}`,
        fix: status === 'dead' ? `svc auth add ${provider}` : `svc auth reset ${provider}`,
      }))
    },
  }
}
