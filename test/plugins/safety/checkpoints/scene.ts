/** A conversation with a model that does what it is told, and tools like those that write, run, look and act elsewhere. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { defineTool, type Message, Tools } from 'svc/sdk'
import { Checkpoints } from 'svc/sdk/sessions'
import { type FakePerson, fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { projectFolder } from './support.ts'

const inFolder = (path: string, cwd: string) => (isAbsolute(path) ? path : join(cwd, path))

/** Tools like those that write, run commands, look, and act elsewhere. */
const tools = {
  name: 'made-up-tools',
  contributes: { tools: ['put', 'shell', 'peek', 'post', 'mystery'] },
  setup(ctx: { add(point: typeof Tools, tool: ReturnType<typeof defineTool>): void }) {
    ctx.add(
      Tools,
      defineTool<{ path: string; text: string }>({
        name: 'put',
        description: 'Writes.',
        input: z.object({ path: z.string(), text: z.string() }),
        effect: 'idempotent',
        toolset: 'made-up',
        reach: 'nothing',
        parallel: true,
        paths: ({ path }, cwd) => [inFolder(path, cwd)],
        run: async ({ path, text }, { cwd }) => {
          mkdirSync(dirname(inFolder(path, cwd)), { recursive: true })
          writeFileSync(inFolder(path, cwd), text)
          return 'done'
        },
      }),
    )
    ctx.add(
      Tools,
      defineTool<{ command: string; writes?: string | undefined }>({
        name: 'shell',
        description: 'Runs.',
        input: z.object({ command: z.string(), writes: z.string().optional() }),
        effect: 'once',
        toolset: 'made-up',
        reach: 'nothing',
        acts: ({ command }) => ({ command }),
        run: async ({ writes }, { cwd }) => {
          if (writes !== undefined) writeFileSync(join(cwd, writes), 'by a command')
          return 'done'
        },
      }),
    )
    for (const [name, effect, more] of [
      ['peek', 'pure', {}],
      ['post', 'once', { acts: () => ({ writes: [] }) }],
      ['mystery', 'once', {}],
    ] as const)
      ctx.add(
        Tools,
        defineTool({
          name,
          description: name,
          input: z.object({ action: z.string().optional() }),
          effect,
          toolset: 'made-up',
          ...more,
          run: async () => 'done',
        }),
      )
  },
}

/** The model does what a message says: each of its lines is the name of a tool and its input. */
export async function start(options: { person?: FakePerson; config?: object; path?: string; cwd?: string } = {}) {
  const fake = fakeProvider(({ messages }) => {
    const last = messages.at(-1) as Message
    if (last.role !== 'user' || !last.text.startsWith('do ')) return 'All right.'
    const calls = last.text
      .slice(3)
      .split('\n')
      .map((line) => {
        const [name = '', input = '{}'] = line.split(/ (?=\{)/)
        return { name, input: JSON.parse(input) }
      })
    return { calls }
  })
  const kernel = await testKernel({
    plugins: ['agent', 'checkpoints', 'conversation', 'session-commands', 'language'],
    with: [fake.plugin, tools],
    config: { model: { provider: 'fake', default: 'fake-1' }, checkpoints: options.config ?? {} },
    env: { PATH: options.path ?? process.env['PATH'] },
  })
  onTestFinished(() => kernel.stop())
  const dir = options.cwd ?? projectFolder()
  const talk = fakeTalk(kernel, { cwd: dir, person: options.person ?? { confirm: true, approve: 'once' } })
  const put = (path: string, text: string) => `put ${JSON.stringify({ path, text })}`
  const notices = () => talk.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
  return { kernel, talk, dir, put, notices, snapshots: () => kernel.use(Checkpoints).list(dir) }
}
