/** What programs ask about subagents and do with them. */
import { defineRpcMethod, type RpcMethod } from 'svc/sdk/web'
import { z } from 'zod'
import type { Config } from './config.ts'
import type { Delegations } from './delegations.ts'

const text = z.string()

const statusResult = z.object({
  active: z.array(
    z.object({
      subagent_id: text,
      parent_id: text.nullable(),
      session_id: text,
      child_session_id: text.optional(),
      delegation_id: text,
      depth: z.number(),
      goal: text,
      model: text.optional(),
      started_at: z.number().describe('Seconds since 1970'),
      status: text,
      tool_count: z.number(),
      last_tool: text.nullable(),
    }),
  ),
  paused: z.boolean(),
  max_spawn_depth: z.number(),
  max_concurrent_children: z.number(),
})

/** Of the subagents of subagents there is one more `delegations` each. */
const treeResult = z.object({
  id: text,
  createdAt: z.number(),
  endedAt: z.number().optional(),
  mode: z.enum(['inline', 'background']),
  children: z
    .array(
      z.object({
        id: text,
        goal: text,
        role: text,
        sessionId: text.optional(),
        result: z.unknown().optional(),
        delegations: z.array(z.unknown()).readonly(),
      }),
    )
    .readonly(),
})

export function rpcMethods(config: Config, delegations: Delegations): readonly RpcMethod[] {
  return [
    defineRpcMethod({
      name: 'delegation.status',
      summary: 'The subagents at work, and the limits that hold for them',
      result: statusResult,
      run: () => ({
        active: delegations.live().map(({ id, unit, task, startedAt, record, lastTool, sessionId }) => ({
          subagent_id: id,
          parent_id: unit.parent.subagentId ?? null,
          session_id: unit.parent.sessionId,
          child_session_id: sessionId,
          delegation_id: unit.id,
          depth: unit.depth,
          goal: task.goal,
          model: record.model || unit.parent.model,
          started_at: startedAt / 1000,
          status: 'running',
          tool_count: record.toolCalls,
          last_tool: lastTool ?? null,
        })),
        paused: delegations.isPaused,
        max_spawn_depth: config.max_spawn_depth,
        max_concurrent_children: delegations.maxChildren,
      }),
    }),
    defineRpcMethod({
      name: 'delegation.pause',
      summary: 'Lets no further subagents begin, or lets them again; those at work go on',
      params: z.object({ paused: z.boolean().default(true) }),
      result: z.object({ paused: z.boolean() }),
      run({ paused }) {
        delegations.isPaused = paused
        return { paused }
      },
    }),
    defineRpcMethod({
      name: 'spawn_tree.list',
      summary: 'What a session has delegated in the last days, the newest first, with what came of it',
      params: z.object({ session_id: z.string().min(1).max(200) }),
      result: z.object({ trees: z.array(treeResult).readonly() }),
      run: async ({ session_id }) => ({ trees: await delegations.trees(session_id) }),
    }),
    defineRpcMethod({
      name: 'subagent.interrupt',
      summary: 'Stops one subagent with those below it; what it did so far is returned to its parent',
      params: z.object({ subagent_id: z.string().min(1).max(200) }),
      result: z.object({ found: z.boolean(), subagent_id: z.string() }),
      run: ({ subagent_id }) => ({ found: delegations.interrupt(subagent_id), subagent_id }),
    }),
  ]
}
