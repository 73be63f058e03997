/** Error codes of the client of MCP servers. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MCP_SERVER_UNKNOWN: 'No MCP server of config.yaml has this name. Use one that `svc mcp list` shows.',
  MCP_CONNECT: 'The server could not be started or reached. The message has what it said; try `svc mcp test NAME`.',
  MCP_FILE_NOT_FOUND:
    'A certificate, a key or a CA bundle of the server is not where its settings say. Correct the path.',
  MCP_REFUSED:
    'The settings of the server are not used, as they are wrong or dangerous. The message says what to change.',
  MCP_DISABLED: 'The server is switched off. Set mcp_servers.NAME.enabled to true.',
  MCP_SIGN_IN: 'The server wants you to sign in. Run `svc mcp login NAME`.',
  MCP_DISK:
    'What a sign-in gave could not be written: the disk is full or read-only. What was kept before is as it was.',
  MCP_CALL: 'The server refused or failed to answer. The message has what it said.',
  MCP_TOO_LARGE: 'The server sent more than svc takes in one message. Ask it for less.',
  MCP_NO_WRITER: 'The plugin config, which writes config.yaml, is switched off. Switch it on, or edit the file.',
  MCP_USAGE: 'The command was typed wrong. The message says how it is typed.',
} satisfies ErrorMessages
