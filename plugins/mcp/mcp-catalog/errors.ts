import type { ErrorMessages } from 'svc/sdk'

export default {
  MCP_CATALOG_BOOTSTRAP:
    'A command of the installation failed. The folder was removed; the message ends with what it said.',
  MCP_CATALOG_BUSY: 'Another process is installing this server. Wait for it to end.',
  MCP_CATALOG_DISK:
    'The folder of installed servers cannot be written: its disk is full or read-only, or it belongs to someone else. Nothing was changed.',
  MCP_CATALOG_GIT: 'The repository of the server could not be read with git. Nothing was installed.',
  MCP_CATALOG_KEY: 'A variable that the server needs is not set. Set it with svc config set, or install on a terminal.',
  MCP_CATALOG_MANIFEST: 'The manifest of the entry cannot be used; the message has the reason.',
  MCP_CATALOG_PROGRAM: 'A program that the installation needs could not be started. Install it first.',
  MCP_CATALOG_TAKEN: 'config.yaml has another server of this name. Remove it, or say that it is to be replaced.',
  MCP_CATALOG_TOOLS: 'The tools that were named are not those of the server, or none was chosen.',
  MCP_CATALOG_UNKNOWN: 'The catalogue has no entry, or config.yaml no server, of this name. See svc mcp catalog.',
  MCP_CATALOG_UNSAFE: 'The repository has something that must not be installed, such as a link that leads out of it.',
} satisfies ErrorMessages
