/** `/connect`, as a person at a full screen answers its questions. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Conversations, type FrontEnd, type Menu } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../support/model-server.ts'

/** Answers questions in turn; menus by the id of an item. */
async function person(answers: readonly string[], config: Record<string, unknown> = {}) {
  const kernel = await testKernel({ plugins: ['model-cli', 'conversation'], config })
  onTestFinished(() => kernel.stop())
  // What a running svc does when it sees that the file was saved.
  const watch = setInterval(() => void kernel.applyConfig().catch(() => undefined), 200)
  onTestFinished(() => clearInterval(watch))
  const left = [...answers]
  const asked: string[] = []
  const said: string[] = []
  const front: FrontEnd = {
    surface: 'cli',
    commands: 'cli',
    waits: true,
    show: () => {},
    say: ({ text }) => void said.push(text),
    changed: () => {},
    choose: async ({ title }: Menu) => {
      asked.push(title)
      return left.shift()
    },
    ask: async ({ text }) => {
      asked.push(text)
      return left.shift()
    },
  }
  const conversation = kernel.use(Conversations).start(front, { cwd: kernel.home })
  const read = (name: string) => {
    const file = join(kernel.home, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return {
    type: (line: string) => conversation.type(line),
    asked,
    said,
    read,
    apply: () => kernel.applyConfig(),
  }
}

test('what is no address is asked again, and is not kept as one', async () => {
  const { type, asked, read } = await person(['custom', 'sk-not-an-address', 'localhost:8000', ''])
  await type('/connect')
  expect(asked.slice(2)).toEqual([
    expect.stringMatching(/^That is not an address\./),
    expect.stringMatching(/^That is not an address\./),
  ])
  expect(read('config.yaml')).not.toContain('sk-not-an-address')
})

test('a refused key is said to be refused and not kept, so the next try asks for it again', async () => {
  const server = await startModelServer({ key: 'right-key-0123456789', models: ['m'] })
  onTestFinished(() => server.close())
  const config = { providers: { openai: { base_url: server.url } } }
  const { type, asked, said, read, apply } = await person(
    ['openai', 'wrong-key-0123456789', 'openai', 'right-key-0123456789'],
    config,
  )
  await type('/connect')
  expect(said.at(-1)).toBe('OpenAI refused the key. It was not kept.')
  expect(asked.at(-1)).toContain('API key')
  expect(read('.env')).not.toContain('wrong-key')
  await apply()
  await type('/connect')
  expect(asked.filter((text) => text.includes('API key'))).toHaveLength(2)
  expect(said.at(-1)).toMatch(/^m of OpenAI answers from now on/)
})
