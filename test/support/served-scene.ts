/** A session with a model server on loopback, for scenarios about what is sent to it. */
import { Agent, defineTool, type Session, Sessions, type TurnEvent, type TurnRequest } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { whyInvalid } from '../plugins/sessions/sessions/support.ts'
import type { Reply } from './model-replies.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { collect, toolPlugin } from './scene.ts'

/** Half of a character, as JSON writes it. */
export const lone = /\\ud[89a-f][0-9a-f]{2}/i
const odd = defineTool({
  name: 'odd',
  description: 'odd',
  input: z.object({ text: z.string().optional() }),
  effect: 'once',
  toolset: 'test',
  reach: 'nothing',
  run: async () => 'lone \ud83d half, \0 NUL, \u001b[2J escape, \u202e reversed, \ufffe none',
})

/** One session. `turn` runs to its end, and the conversation must then be one that a model takes. */
export interface ServedScene {
  readonly server: ModelServer
  readonly kernel: TestKernel
  readonly sessions: Sessions
  readonly session: Session
  turn(text: string, more?: Partial<TurnRequest>): Promise<TurnEvent[]>
}

/** The server answers with `replies`; the tool `odd` gives odd characters. */
export async function servedScene(
  replies: readonly Reply[] | (() => Reply),
  model = 'fake-model',
): Promise<ServedScene> {
  const server: ModelServer = await startModelServer({ replies })
  onTestFinished(() => server.close())
  const kernel = await testKernel({
    plugins: ['agent', 'provider-openai'],
    with: [toolPlugin(odd)],
    env: { CUSTOM_API_KEY: 'sk-test-0123456789' },
    config: { model: { provider: 'custom', base_url: server.url, default: model }, agent: { max_retries: 0 } },
  })
  onTestFinished(() => kernel.stop())
  const sessions = kernel.use(Sessions)
  const session: Session = sessions.create({ surface: 'test', cwd: kernel.home })
  const turn = async (text: string, more: Partial<TurnRequest> = {}): Promise<TurnEvent[]> => {
    const events = await collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test', ...more }))
    expect(whyInvalid(session.messages())).toBeUndefined()
    return events
  }
  return { server, kernel, sessions, session, turn }
}

/** The text of the user's last message, as the server got it. */
export const saidTo = ({ requests }: ModelServer): string | undefined =>
  (requests.at(-1)?.body['messages'] as { role: string; content: string }[] | undefined)?.findLast(
    ({ role }) => role === 'user',
  )?.content
