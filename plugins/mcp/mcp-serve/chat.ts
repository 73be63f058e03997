/** The tool `chat`: the agent itself. */
import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { type PluginContext, Sessions, SvcError } from 'svc/sdk'
import { defineMcpTool, type McpExportTool } from 'svc/sdk/mcp'
import { z } from 'zod'
import type { Config } from './config.ts'
import { requireSession } from './rights.ts'
import { runTurn } from './run-turn.ts'
import { toResult } from './served.ts'

export function chatTool(ctx: PluginContext<Config>): McpExportTool {
  return defineMcpTool({
    name: 'chat',
    description:
      'Give the agent svc a message and get its answer. It works on its own machine with its own tools, memory and skills. ' +
      'Continue a conversation with its session_id; without one a new conversation begins.',
    input: z.object({
      message: z.string().min(1).describe('What to say to the agent.'),
      session_id: z.string().optional().describe('The session to continue.'),
      cwd: z.string().optional().describe('Folder in which a new session works, as an absolute path.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    async run({ message, session_id: sessionId, cwd: folder }, call) {
      if (sessionId !== undefined) requireSession(ctx, call.client, sessionId)
      const place =
        sessionId === undefined
          ? await checkFolder(folder ?? call.client.cwd)
          : ctx.use(Sessions).summary(sessionId).cwd
      const order = { text: message, cwd: place, ...(sessionId !== undefined && { sessionId }) }
      const { front, sessionId: session } = await runTurn(ctx, order, call)
      if (front.error !== undefined || !front.end || (front.end.reason !== 'completed' && front.text === ''))
        throw new SvcError('MCP_SERVE_TURN', front.error ?? 'The turn ended without an answer.')
      return toResult(front.text, { session_id: session, text: front.text, ended: front.end.reason })
    },
  })
}

async function checkFolder(cwd: string): Promise<string> {
  const isFolder = isAbsolute(cwd) && (await stat(cwd).catch(() => undefined))?.isDirectory()
  if (isFolder) return cwd
  const text = `"${cwd.slice(0, 200)}" is not a folder. Name one that exists, as an absolute path.`
  throw new SvcError('MCP_SERVE_FOLDER', text, { status: 400 })
}
