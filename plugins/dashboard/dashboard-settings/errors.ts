/** Error codes of the plugin `dashboard-settings`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_VARIABLE:
    'No plugin reads a variable of this name, or it has no value. `svc config check` lists variables.',
  DASHBOARD_REVEALS: 'Secrets were shown too often within half a minute. Wait, and show the next one then.',
  DASHBOARD_PROVIDER: 'There is no provider of this name. The list of models names those there are.',
  DASHBOARD_CREDENTIALS: 'The plugin that keeps several keys for a provider does not run.',
} satisfies ErrorMessages
