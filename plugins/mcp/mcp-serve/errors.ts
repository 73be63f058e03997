/** Error codes of the plugin `mcp-serve`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MCP_SERVE_KEY: 'The key of the HTTP server is not set or too weak. Set one: svc config set MCP_SERVE_KEY <key>.',
  MCP_SERVE_CLIENT: 'The key of a client in mcp_serve.clients is not set, too weak, or that of another one.',
  MCP_SERVE_SESSION: 'There is no session of this id that the client may see.',
  MCP_SERVE_TOOL: 'There is no tool of this name for MCP clients, or its arguments are not valid.',
  MCP_SERVE_PROMPT: 'There is no prompt of this name, or an argument that it requires is missing.',
  MCP_SERVE_RESOURCE: 'The address of the resource is not valid.',
  MCP_SERVE_FOLDER: 'The folder does not exist. Name one that does, as an absolute path.',
  MCP_SERVE_TURN: 'The turn ended without an answer.',
} satisfies ErrorMessages
