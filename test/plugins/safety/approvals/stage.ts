/** A model that calls a shell, and people who answer: what stories of the gate happen with. */
import type { InlinePlugin } from 'svc'
import {
  Agent,
  type ApprovalChoice,
  type ApprovalRequest,
  Approvals,
  defineTool,
  Sessions,
  Tools,
  type TurnEvent,
} from 'svc/sdk'
import { fakeProvider, type TestKernel, testKernel } from 'svc/sdk/testing'
import { z } from 'zod'

/** A kernel whose model runs each of these commands in turn, with `done` between turns, and what was run of them. */
export async function start(
  commands: readonly string[],
  approvals: object = {},
  more: object = {},
  others: readonly InlinePlugin[] = [],
) {
  const ran: string[] = []
  const fake = fakeProvider([
    ...commands.map((command) => (command === 'done' ? command : { calls: [{ name: 'shell', input: { command } }] })),
    'done',
  ])
  const shell = {
    name: 'shell-tool',
    contributes: { tools: ['shell'] },
    setup(ctx: { add: (point: typeof Tools, item: ReturnType<typeof defineTool>) => unknown }) {
      const tool = defineTool<{ command: string }>({
        name: 'shell',
        description: 'Runs.',
        input: z.object({ command: z.string() }),
        effect: 'once',
        toolset: 'terminal',
        reach: 'machine',
        acts: ({ command }) => ({ command }),
        run: async ({ command }) => String(ran.push(command)),
      })
      ctx.add(Tools, tool)
    },
  }
  const kernel = await testKernel({
    plugins: ['agent', 'approvals', 'chat'],
    with: [fake.plugin, shell, ...others],
    config: { model: { provider: 'fake', default: 'fake-1' }, approvals },
    ...more,
  })
  return { kernel, ran, fake }
}

/** Runs a turn to its end. */
export async function turn(
  kernel: TestKernel,
  sessionId = kernel.use(Sessions).create({ surface: 'test', cwd: '/srv/project' }).id,
  surface = 'test',
) {
  const events: TurnEvent[] = []
  for await (const event of kernel.use(Agent).run({ sessionId, text: 'go', surface })) events.push(event)
  const results = events.flatMap((event) => (event.type === 'tool.complete' ? [event.text] : []))
  return { events, results, sessionId }
}

/** Answers in order, and remembers what was asked. */
export function answering(kernel: TestKernel, answers: readonly (ApprovalChoice | undefined)[]) {
  const asked: ApprovalRequest[] = []
  const off = kernel.use(Approvals).connect({
    name: 'test',
    reaches: () => true,
    ask: async (request) => answers[asked.push(request) - 1],
  })
  return { asked, off }
}
