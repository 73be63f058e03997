/** Error codes of the plugin `dashboard-agent`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_NOT_THERE: 'The plugin that this part of the dashboard shows does not run. `svc plugins` says why.',
  DASHBOARD_SKILL: 'There is no skill of this name. The list of skills names those there are.',
  DASHBOARD_MCP_SERVER: 'No MCP server of this name is configured.',
} satisfies ErrorMessages
