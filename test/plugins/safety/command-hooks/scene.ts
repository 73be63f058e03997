/** An agent with hooks in its configuration, one tool, and a conversation of a person who says nothing by themselves. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Conversations, defineTool, type Tool, Tools, type TurnEvent } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../../support/temporary.ts'

export interface SceneOptions {
  readonly hooks?: object
  readonly replies?: readonly ScriptedReply[]
  readonly tool?: Partial<Tool>
  readonly files?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
}

export async function startScene({ hooks = {}, replies = [], tool = {}, files = {} }: SceneOptions = {}) {
  const cwd = realpathSync(temporaryFolder())
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text, { mode: 0o755 })
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const ran: unknown[] = []
  const made = defineTool({
    name: 'shout',
    description: 'Says it aloud.',
    input: z.object({ words: z.string() }),
    effect: 'once',
    toolset: 'test',
    reach: 'nothing',
    run: async (input: unknown) => `ran ${ran.push(input)}`,
    ...tool,
  } as Tool)
  const fake = fakeProvider([...replies])
  const kernel = await testKernel({
    plugins: ['conversation', 'command-hooks'],
    with: [fake.plugin, { name: 'acme', setup: (ctx) => void ctx.add(Tools, made) }],
    config: { model: { provider: 'fake', default: 'fake-1' }, hooks: { confine: 'off', ...hooks } },
  })
  onTestFinished(() => kernel.stop())
  const said: string[] = []
  const events: TurnEvent[] = []
  const conversation = kernel.use(Conversations).start(
    {
      surface: 'cli',
      commands: 'cli',
      show: (event) => void events.push(event),
      say: ({ text }) => void said.push(text),
      changed: () => {},
    },
    { cwd },
  )
  const type = async (text: string) => {
    await conversation.type(text)
    await conversation.idle()
  }
  const results = () => events.flatMap((event) => (event.type === 'tool.complete' ? [event.text] : []))
  const errors = () => events.flatMap((event) => (event.type === 'error' ? [event.message] : []))
  return { kernel, cwd, conversation, fake, said, events, ran, type, write, results, errors }
}

/** One group with one command. */
export function hook(command: string, more: object = {}, matcher = '') {
  return [{ matcher, hooks: [{ type: 'command', command, ...more }] }]
}

/** A shell command that prints a JSON document. */
export function prints(value: unknown): string {
  return `cat > /dev/null; printf '%s' '${JSON.stringify(value)}'`
}

export const shouts = { calls: [{ name: 'shout', input: { words: 'hello' } }] }
