/** Whether this machine confines commands: for `svc doctor`. */
import type { HealthCheck } from 'svc/sdk/host'
import type { ProcessSandbox } from 'svc/sdk/shell'

export function confinementCheck(confinement: () => Pick<ProcessSandbox, 'status'>): HealthCheck {
  return {
    name: 'confinement',
    title: 'Confinement',
    order: 50,
    async check() {
      const { works, by = '', detail } = await confinement().status()
      if (works) return [{ state: 'ok', text: `Commands run confined by ${by}.` }]
      const text = 'Commands are not confined here; what is not fully understood is asked about.'
      return [{ state: 'warning', text, fix: detail }]
    },
  }
}
