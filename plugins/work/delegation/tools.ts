/** The tool `delegate_task`, as the model is told of it. */
import { defineTool, type Tool } from 'svc/sdk'
import { formatTitle, textIn } from 'svc/sdk/kit/views'
import { TOOL } from './child-tools.ts'
import type { Delegations } from './delegations.ts'
import { toolReply } from './reply.ts'
import { type Input, input } from './request.ts'

export function delegateTool(delegations: () => Delegations): Tool {
  return defineTool<Input>({
    name: TOOL,
    description:
      'Hand work to subagents: one goal, or tasks side by side. They know only goal and context. For large or independent parts.',
    input,
    // A call that is repeated after a crash finds its delegation by its key, and resumes it.
    effect: 'idempotent',
    toolset: 'delegation',
    reach: 'nothing',
    parallel: true,
    view: { title: ({ input: asked }) => formatTitle(textIn(asked, 'goal')) },
    scope: { notOn: ['cron'] },
    run: async (asked, turn) => toolReply(await delegations().delegate(asked, turn)),
  })
}
