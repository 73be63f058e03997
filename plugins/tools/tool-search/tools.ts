/** The bridge: how a model finds, reads and calls tools that it was not told of. */
import { defineTool, SvcError, type Tool, type ToolResult } from 'svc/sdk'
import type { RegisteredTool } from 'svc/sdk/host'
import { z } from 'zod'
import { formatSignature, toDefinition } from './definition.ts'
import { bridgeView } from './view.ts'

const searchInput = z.object({
  query: z.string().min(1),
  limit: z.int().min(1).max(20).default(5),
})
const describeInput = z.object({ name: z.string().min(1) })
const callInput = z.object({ name: z.string().min(1), arguments: z.record(z.string(), z.unknown()).default({}) })

const bridge = { toolset: 'tool_search', reach: 'nothing', parallel: true, view: bridgeView } as const

type Find = (name: string) => RegisteredTool | undefined
type Deferred = (sessionId: string) => readonly string[]

/** Makes the three tools. */
export function bridgeTools(deferred: Deferred, find: Find): readonly Tool[] {
  const findDeferred = (sessionId: string) => deferred(sessionId).flatMap((name) => find(name) ?? [])
  return [
    defineTool<z.infer<typeof searchInput>>({
      name: 'tool_search',
      description: 'Find more tools by what they do.',
      input: searchInput,
      effect: 'pure',
      ...bridge,
      run: async ({ query, limit }, { sessionId }) => {
        const { rank } = await import('./ranking.ts')
        return createResult(rank(query, findDeferred(sessionId), limit), deferred(sessionId))
      },
    }),
    defineTool<z.infer<typeof describeInput>>({
      name: 'tool_describe',
      description: 'All that is known of one of them.',
      input: describeInput,
      effect: 'pure',
      ...bridge,
      run: async ({ name }, { sessionId }) => {
        const tools = findDeferred(sessionId)
        const tool = tools.find((each) => each.name === name)
        return tool ? { text: JSON.stringify(toDefinition(tool)) } : unknown(name, tools)
      },
    }),
    defineTool<z.infer<typeof callInput>>({
      name: 'tool_call',
      description: 'Run one of them.',
      input: callInput,
      effect: 'once',
      toolset: 'tool_search',
      reach: 'nothing',
      view: bridgeView,
      redirect: ({ name, arguments: input }) => ({ name, input }),
      run: async ({ name }) => {
        throw new SvcError(
          'TOOL_SEARCH_NOT_REDIRECTED',
          `"${name}" was not run: what calls tools here does not redirect.`,
        )
      },
    }),
  ]
}

function createResult(tools: readonly RegisteredTool[], all: readonly string[]): ToolResult {
  const data = { tools: tools.map(({ name, toolset, description }) => ({ name, toolset, description })) }
  if (tools.length === 0) return { text: `Nothing fits. There are: ${all.join(', ') || 'no more tools'}.`, data }
  return { text: tools.map((tool) => `${formatSignature(tool)}\n  ${tool.description}`).join('\n'), data }
}

async function unknown(name: string, tools: readonly RegisteredTool[]): Promise<ToolResult> {
  const { rank } = await import('./ranking.ts')
  const near = rank(name, tools, 3).map((tool) => tool.name)
  const advice = near.length > 0 ? ` Perhaps ${near.join(', ')}.` : ''
  return { text: `tool_search knows no tool "${name}".${advice}`, failed: true }
}
