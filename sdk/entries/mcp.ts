/** For what installs, shows and uses servers of the Model Context Protocol. */
export {
  type McpCallOptions,
  type McpCatalog,
  McpCatalogs,
  type McpOffer,
  McpPicker,
  type McpPrompt,
  type McpResource,
  type McpServer,
  type McpServerState,
  McpServers,
  type McpSignIn,
  type McpTool,
  type McpToolAnnotations,
  type McpToolState,
  type McpTransport,
} from '../mcp.ts'
