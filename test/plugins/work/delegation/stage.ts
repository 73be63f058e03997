/** Where delegation is tested: a kernel with a scripted model that is the parent or one of its subagents. */
import { type Session, Sessions } from 'svc/sdk'
import type { ModelRequest } from 'svc/sdk/provider'
import {
  type FakePerson,
  fakeProvider,
  fakeTalk,
  type ScriptedReply,
  testKernel,
  type VirtualClock,
} from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'

export type Kernel = Awaited<ReturnType<typeof testKernel>>

/** What a model says: `parent` for the conversation, `child` for a subagent with this goal. */
export interface Script {
  readonly parent: readonly ScriptedReply[]
  readonly child: (goal: string, call: number, request: ModelRequest) => ScriptedReply
}

export const delegate = (input: object, more: object = {}): ScriptedReply => ({
  calls: [{ name: 'delegate_task', input, ...more }],
})

/** A promise, and what resolves it. */
export function gate(): { readonly open: () => void; readonly promise: Promise<void> } {
  let open = () => {}
  const promise = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), promise }
}

/** The goal of the subagent that asks; undefined for the conversation. */
export function readGoal({ messages }: ModelRequest): string | undefined {
  const isChild = messages.some(({ role, text }) => role === 'system' && text.startsWith('You are a subagent'))
  return isChild ? messages.find(({ role }) => role === 'user')?.text.split('\n')[0] : undefined
}

export async function stage(
  { parent, child }: Script,
  more: {
    readonly config?: object
    readonly stays?: true
    readonly person?: FakePerson
    readonly home?: string
    readonly plugins?: readonly string[]
    readonly with?: NonNullable<Parameters<typeof testKernel>[0]>['with']
    readonly sessionId?: string
    readonly clock?: VirtualClock
  } = {},
) {
  const calls = new Map<string, number>()
  const fake = fakeProvider((request) => {
    const goal = readGoal(request)
    const call = calls.get(goal ?? '') ?? 0
    calls.set(goal ?? '', call + 1)
    return goal === undefined ? (parent[call] ?? 'nothing more') : child(goal, call, request)
  })
  const kernel = await testKernel({
    plugins: ['agent', 'approvals', 'conversation', 'people', 'budgets', 'delegation', ...(more.plugins ?? [])],
    with: [fake.plugin, ...(more.with ?? [])],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...more.config },
    ...(more.home !== undefined && { home: more.home }),
    ...(more.clock && { clock: more.clock }),
  })
  onTestFinished(() => kernel.stop())
  const talk = fakeTalk(kernel, {
    ...(more.stays && { stays: more.stays }),
    ...(more.person && { person: more.person }),
    ...(more.sessionId !== undefined && { sessionId: more.sessionId }),
  })
  const children = (): readonly Session[] => {
    const found = kernel.use(Sessions).list({ surface: 'subagent' })
    return found.map(({ id }) => kernel.use(Sessions).open(id))
  }
  /** What the last call of the tool returned. */
  const returned = (): Record<string, unknown> & { results: Record<string, unknown>[] } => {
    const done = talk.events.findLast((event) => event.type === 'tool.complete' && event.name === 'delegate_task')
    if (done?.type !== 'tool.complete') throw new Error('the tool was not called')
    return (done.data ?? { text: done.text }) as never
  }
  return { kernel, fake, talk, children, returned }
}
