/** Names under which tools of servers are offered. */

/** What model services take as the name of a tool: https://platform.openai.com/docs/api-reference/chat/create */
const MAX_NAME = 64

const clean = (text: string) => text.replace(/[^A-Za-z0-9_]/g, '_')

/** `mcp__files__read_text`; a name that would be too long ends with a digest of the whole. */
export function toToolName(server: string, tool: string): string {
  const name = `mcp__${clean(server)}__${clean(tool)}`
  if (name.length <= MAX_NAME) return name
  return `${name.slice(0, MAX_NAME - 9)}_${digest(`${server}\n${tool}`)}`
}

/** The group that the tools of a server are switched with. */
export function toToolset(server: string): string {
  return `mcp-${server}`
}

/** FNV-1a, 32 bits: it tells names apart and protects nothing. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
