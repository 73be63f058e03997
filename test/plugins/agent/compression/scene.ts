/** A kernel with an agent, a model that counts what it reads, and conversations of any length. */
import { Agent, defineTool, type Message, type Session, Sessions, Tools, type TurnEvent } from 'svc/sdk'
import type { ModelRequest } from 'svc/sdk/provider'
import { type FakeProvider, fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

export const RECORD =
  '## Request in force\nMove the parser.\n## Done\n1. Read the parser with look: it has two halves that never meet.\n2. Asked the user which half should stay; the second one should.\n## Remaining\nThe first half is to be taken out, and its tests with it.'

/** Whether the model is asked for a summary. */
export function isOrder({ messages }: ModelRequest): boolean {
  return messages[0]?.text.startsWith('You keep the record') === true
}

/** What a service would count. */
export function estimateTokens({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  return Math.ceil(JSON.stringify([messages, tools]).length / 4)
}

export interface Given {
  /** The answers to the n-th request that is no order for a summary. */
  readonly talk?: (request: ModelRequest, call: number) => ScriptedReply
  readonly order?: (request: ModelRequest, call: number) => ScriptedReply
  readonly compression?: Record<string, unknown>
  readonly config?: Record<string, unknown>
  readonly home?: string
  /** Tokens the model reads; `unknown`: no one knows. */
  readonly window?: number | 'unknown'
  readonly with?: NonNullable<Parameters<typeof testKernel>[0]>['with']
  readonly plugins?: readonly string[]
}

export async function open(given: Given = {}) {
  const { talk = () => 'Fine.', order = () => RECORD, window = 24_000 } = given
  const counts = { talk: 0, order: 0 }
  const fake: FakeProvider = fakeProvider((request) => {
    const reply = isOrder(request) ? order(request, counts.order++) : talk(request, counts.talk++)
    const script = typeof reply === 'string' ? { text: reply } : reply
    return script.usage ? script : { ...script, usage: { input: estimateTokens(request), output: 5 } }
  })
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['agent', ...(given.plugins ?? [])],
    clock,
    with: [fake.plugin, look, ...(given.with ?? [])],
    ...(given.home !== undefined && { home: given.home }),
    config: {
      model: { provider: 'fake', default: 'fake-1', ...(window !== 'unknown' && { context_length: window }) },
      compression: given.compression ?? {},
      ...given.config,
    },
  })
  onTestFinished(() => kernel.stop())
  const turn = async (session: Session, text: string) => {
    const events: TurnEvent[] = []
    const request = { sessionId: session.id, text, surface: 'test' }
    for await (const event of kernel.use(Agent).run(request)) events.push(event)
    return events
  }
  const begin = (messages: readonly Message[] = []) => {
    const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
    if (messages.length > 0) write(session, messages)
    return session
  }
  return { kernel, fake, clock, turn, begin, orders: () => fake.requests.filter(isOrder) }
}

/** Puts messages into a session as if a turn had been there. */
export function write(session: Session, messages: readonly Message[]): void {
  const turnId = `turn_${session.messages().length}`
  const start = { type: 'turn.start', text: '', provider: 'fake', model: 'fake-1' } as const
  session.record({ turnId, events: [start], messages })
  session.record({ turnId, events: [{ type: 'turn.end', reason: 'completed', usage: {} }] })
}

/** Talk of about so many tokens in each exchange, which no pruning makes shorter. */
export function createConversation(exchanges: number, tokensEach: number): Message[] {
  return Array.from({ length: exchanges }, (_, at): Message[] => [
    { role: 'user', text: `Question ${at}: ${'word '.repeat(Math.floor(tokensEach * 0.4))}` },
    { role: 'assistant', text: `Answer ${at}: ${'term '.repeat(Math.floor(tokensEach * 0.4))}` },
  ]).flat()
}

export const ofType = <T extends TurnEvent['type']>(events: readonly TurnEvent[], type: T) => {
  return events.filter((event): event is Extract<TurnEvent, { type: T }> => event.type === type)
}

const look = {
  name: 'look',
  setup(ctx: { add(point: typeof Tools, item: ReturnType<typeof defineTool>): unknown }) {
    ctx.add(
      Tools,
      defineTool({
        name: 'look',
        description: 'Looks.',
        input: z.object({ path: z.string(), lines: z.number().default(1) }),
        effect: 'pure',
        toolset: 'test',
        reach: 'nothing',
        run: async ({ path, lines }) => Array.from({ length: lines }, (_, at) => `${path} ${at} is there`).join('\n'),
      }),
    )
  },
}
