/** Error codes of the plugin `dashboard-agent`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_SKILL: 'There is no skill of this name. The list of skills names those there are.',
  DASHBOARD_MCP_SERVER: 'No MCP server of this name is configured.',
  DASHBOARD_MCP_TAKEN:
    'An MCP server of this name is configured already. Choose another name, or remove that one first.',
  DASHBOARD_MCP_SECRET:
    'The settings of an MCP server hold a secret in the clear. Store it as a variable, and write `${NAME}` in the settings.',
  DASHBOARD_MCP_SIGN_IN:
    'The MCP server named no address at which to sign in, or needs none. `svc mcp test NAME` shows what it answers.',
  DASHBOARD_TOOLSET:
    'There is no toolset of this name, it has nothing to choose, or what was named does not do its work. The message says which.',
} satisfies ErrorMessages
