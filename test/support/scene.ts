/** A session of the whole product with a scripted model: what scenario tests act in. */
import type { InlinePlugin } from 'svc'
import { Agent, Approvals, type Session, Sessions, type Tool, Tools, type TurnEvent, type TurnRequest } from 'svc/sdk'
import { type FakeProvider, fakeProvider, type ScriptedReply, type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'
import { whyInvalid } from '../plugins/sessions/sessions/support.ts'
import { temporaryFolder } from './temporary.ts'

type OpenOptions = NonNullable<Parameters<typeof testKernel>[0]>
type Complete = Extract<TurnEvent, { type: 'tool.complete' }>

/** A call as a test writes it. */
export interface WantedCall {
  readonly name: string
  readonly input?: unknown
}

/** One session in its own folder. */
export interface Scene {
  readonly kernel: TestKernel
  readonly fake: FakeProvider
  readonly session: Session
  /** Where the session works. */
  readonly cwd: string
  /** Runs a turn to its end; the conversation must be one that a model takes. */
  turn(text: string, more?: Partial<TurnRequest>): Promise<TurnEvent[]>
  /** Has the model make the call, and returns its outcome; the turn must come to its answer. */
  tool(name: string, input: unknown): Promise<Complete>
}

/** What the model says is `script`, or what `tool` has it do. */
export async function scene(
  options: OpenOptions & { readonly script?: readonly ScriptedReply[] } = {},
): Promise<Scene> {
  const { script, ...open } = options
  let wanted: WantedCall | undefined
  const next = (): ScriptedReply => {
    if (!wanted) return 'Done.'
    const { name, input } = wanted
    wanted = undefined
    return { calls: [{ name, input }] }
  }
  const fake = fakeProvider(script ?? next)
  const kernel = await testKernel({
    ...open,
    plugins: ['agent', ...(open.plugins ?? [])],
    env: { PATH: process.env['PATH'], ...open.env },
    with: [fake.plugin, ...(open.with ?? [])],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...open.config },
  })
  onTestFinished(() => kernel.stop())
  kernel.find(Approvals)?.askNothing()
  const cwd = temporaryFolder()
  const session = kernel.use(Sessions).create({ surface: 'test', cwd })
  const turn: Scene['turn'] = async (text, more) => {
    const events = await collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test', ...more }))
    expect(whyInvalid(session.messages())).toBeUndefined()
    return events
  }
  return {
    kernel,
    fake,
    session,
    cwd,
    turn,
    async tool(name, input) {
      wanted = { name, input }
      const events = await turn(`use ${name}`)
      expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
      const done = events.find((event): event is Complete => event.type === 'tool.complete')
      if (!done) throw new Error(`${name} was not called`)
      return done
    },
  }
}

/** All events of a stream. */
export async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

/** A plugin with these tools. */
export function toolPlugin(...tools: readonly Tool[]): InlinePlugin {
  return {
    name: 'scene-tools',
    contributes: { tools: tools.map(({ name }) => name) },
    setup(ctx) {
      for (const tool of tools) ctx.add(Tools, tool)
    },
  }
}

/** What a person is told in the end, when it went wrong. */
export function findError(events: readonly TurnEvent[]): Extract<TurnEvent, { type: 'error' }> | undefined {
  return events.find((event): event is Extract<TurnEvent, { type: 'error' }> => event.type === 'error')
}

/** Words of a programming language's run time, which tell a person nothing. */
const jargon =
  /^spawn|^E[A-Z]+\b|\b(undefined|\[object \w+\]|TypeError|RangeError|is not (a function|iterable)|Cannot (read|destructure|convert)|at \w+ \(|Maximum call stack|NaN)\b/

/** Why this is no sentence for people, or undefined when it is one. */
export function whyNoSentence(text: string): string | undefined {
  if (text.trim().length < 10) return `too short: "${text}"`
  if (jargon.test(text.replaceAll('received undefined', '').replace(/has a fault: .*/s, '')))
    return `jargon: ${text.slice(0, 300)}`
  if (text.length > 3000) return `too long: ${text.length} characters, ${text.slice(0, 100)}`
  return undefined
}
