/** Subagents: turns that a tool call begins, each in a session of its own. */
import {
  Agent,
  Approvals,
  type ChildTurnRequest,
  type Dispose,
  type PluginContext,
  Secrets,
  Sessions,
  type Tool,
  type ToolContext,
  type TurnEvent,
  TurnOutcome,
  type TurnRun,
} from 'svc/sdk'
import { SubagentEnded, SubagentStarted } from 'svc/sdk/hooks'
import { People } from 'svc/sdk/host'
import { Budgets } from 'svc/sdk/safety'
import { turnSettings } from 'svc/sdk/sessions'
import { toolCallLabel } from 'svc/sdk/terminal'
import type { Config } from './config.ts'
import type { Turn } from './turn.ts'
import { createTurnRun } from './turn-run.ts'

const TITLE_LENGTH = 60

/** The call that begins one. */
export interface ChildCall {
  readonly turn: Turn
  readonly context: ToolContext
  readonly tool: Tool | undefined
}

/** Contract: `ToolContext.child` of the SDK. */
export function runChild(ctx: PluginContext<Config>, call: ChildCall, request: ChildTurnRequest): TurnRun {
  return createTurnRun(events(ctx, call, request))
}

async function* events(
  ctx: PluginContext<Config>,
  { turn, context, tool }: ChildCall,
  request: ChildTurnRequest,
): AsyncGenerator<TurnEvent> {
  const { sessionId: parentId, surface, cwd, signal, callId } = context
  const { text, title = text, budget } = request
  const { id } = ctx.use(Sessions).create({ surface, cwd, title: formatTitle(title) })
  const connections = connect(ctx, id, parentId)
  const group = `subagent:${id}`
  if (budget) ctx.find(Budgets)?.limit(group, budget)
  const subagent = { parent: turn.context, callId, sessionId: id, goal: text }
  const outcome = new TurnOutcome()
  let answer = ''
  context.emit({ type: 'subagent.start', id, goal: text })
  await ctx.call(SubagentStarted, subagent)
  try {
    const { provider, model } = turn.context.model
    const settings = {
      ...turnSettings({ ...turn.options, provider, model, systemPrompt: undefined, format: undefined }),
      ...turnSettings(request),
      toolsets: listTools(turn, tool, request.toolsets),
      groups: [...(turn.options.groups ?? []), `session:${parentId}`, `turn:${turn.turnId}`, group],
    }
    const images = request.images && { images: request.images }
    const asked = { ...settings, ...images, text, sessionId: id, surface, signal, purpose: 'subagent' } as const
    for await (const event of ctx.use(Agent).run({ ...asked, parentTurnId: turn.turnId })) {
      outcome.take(event)
      if (event.type === 'message.complete') answer = event.text
      if (event.type === 'tool.start') context.emit({ type: 'subagent.progress', id, text: formatCall(ctx, event) })
      yield event
    }
  } finally {
    for (const disconnect of connections) await disconnect()
    const { reason = 'interrupted', usage, isComplete, error } = outcome
    const said = error?.message ?? answer
    context.emit({ type: 'subagent.complete', id, ok: isComplete, text: said })
    await ctx.call(SubagentEnded, { ...subagent, reason, usage, text: said })
  }
}

/** Its questions are those of the session that began it. */
function connect(ctx: PluginContext<Config>, id: string, parentId: string): readonly Dispose[] {
  const approvals = ctx.find(Approvals)?.forward(id, () => parentId)
  const people = ctx.find(People)?.forward(id, () => parentId)
  return [approvals, people].filter((each) => each !== undefined)
}

/** The tools of the turn, or those of them that are wanted, without the one that begins it: it would begin others without end. */
function listTools(turn: Turn, tool: Tool | undefined, wanted: readonly string[] | undefined): string[] {
  const all = [...turn.tools.all.values()].filter(({ name }) => name !== tool?.name)
  const isWanted = ({ name, toolset }: Tool) =>
    wanted === undefined || wanted.includes(name) || wanted.includes(toolset ?? '')
  return all.filter(isWanted).map(({ name }) => name)
}

function formatCall(ctx: PluginContext<Config>, { name, input }: Extract<TurnEvent, { type: 'tool.start' }>): string {
  return `${name} ${toolCallLabel(input, (text) => ctx.use(Secrets).mask(text))}`.trim()
}

function formatTitle(text: string): string {
  return `↳ ${[...text.replace(/\s+/g, ' ')].slice(0, TITLE_LENGTH).join('')}`
}
