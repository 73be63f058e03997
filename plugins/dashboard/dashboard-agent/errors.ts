/** Error codes of the plugin `dashboard-agent`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_SKILL: 'There is no skill of this name. The list of skills names those there are.',
  DASHBOARD_MCP_SERVER: 'No MCP server of this name is configured.',
} satisfies ErrorMessages
