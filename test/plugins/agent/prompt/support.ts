/** A kernel with the prompt, a scripted model, and ways to look at what the model was sent. */
import { tmpdir } from 'node:os'
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'
import { type FakeProvider, fakeProvider, type ScriptedReply, type TestKernel, testKernel } from 'svc/sdk/testing'

export const model = { provider: 'fake', default: 'fake-1' }

export interface Stage {
  readonly kernel: TestKernel
  readonly fake: FakeProvider
  /** A new session; returns its id. */
  session(cwd?: string): string
  turn(sessionId: string, text: string): Promise<TurnEvent[]>
  /** Runs one turn of a new session and returns the system prompt that the model got. */
  prompt(cwd?: string): Promise<string>
}

export async function stage(
  options: Parameters<typeof testKernel>[0] & { readonly script?: readonly ScriptedReply[] } = {},
): Promise<Stage> {
  const { script = ['fine'], ...rest } = options
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['agent', 'prompt'],
    ...rest,
    with: [fake.plugin, ...(rest.with ?? [])],
    // What is not about agreeing to notes continues without questions.
    config: { model, ...rest.config, prompt: { trust: [tmpdir()], ...(rest.config as { prompt?: object })?.prompt } },
  })
  const session = (cwd = kernel.home) => kernel.use(Sessions).create({ surface: 'test', cwd }).id
  const turn = async (sessionId: string, text: string) => {
    const seen: TurnEvent[] = []
    for await (const event of kernel.use(Agent).run({ sessionId, text, surface: 'test' })) seen.push(event)
    return seen
  }
  const prompt = async (cwd?: string) => {
    await turn(session(cwd), 'hi')
    return getSystemPrompt(fake)
  }
  return { kernel, fake, session, turn, prompt }
}

/** The system prompt of the last request. */
export function getSystemPrompt(fake: FakeProvider): string {
  const [first] = fake.requests.at(-1)?.messages ?? []
  return first?.role === 'system' ? first.text : ''
}
