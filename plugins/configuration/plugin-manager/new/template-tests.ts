/**
 * The tests that `svc plugins new` writes: the conformance kit, and a story for each kind in a real kernel. JavaScript that every
 * Node runs as it is, under `node:test` and, with another first import, under vitest. NAME and TOOL are filled in as in the code.
 */
import type { Kind } from './templates.ts'

export const runners = ['node', 'vitest'] as const
export type Runner = (typeof runners)[number]

/** Below test/ in the folder of the plugin. */
export function writeTests(kind: Kind, runner: Runner): string {
  const { samples = '', kit = [], imports = {}, story } = stories[kind]
  const all = {
    'node:assert/strict': 'assert',
    'node:url': '{ fileURLToPath }',
    'svc/sdk/testing': `{ ${['conformance', ...kit, 'testKernel'].join(', ')} }`,
    [runner === 'node' ? 'node:test' : 'vitest']: '{ test }',
    ...imports,
  }
  const lines = Object.entries(all).map(([path, names]) => ({ path, line: `import ${names} from '${path}'\n` }))
  return `${lines
    .sort((one, two) => (one.path < two.path ? -1 : 1))
    .map(({ line }) => line)
    .join('')}
const dir = fileURLToPath(new URL('..', import.meta.url))

test('NAME keeps the contracts of svc', { timeout: 60_000 }, async () => {
  const { cases } = await conformance({ dir${samples} })
  assert.deepEqual(
    cases.filter(({ result }) => result === 'failed'),
    [],
  )
})

${story}`
}

interface Story {
  /** Further options of the conformance kit. */
  readonly samples?: string
  /** What the story needs of `svc/sdk/testing` beside the kernel. */
  readonly kit?: readonly string[]
  /** What it imports otherwise: names by path. */
  readonly imports?: Readonly<Record<string, string>>
  readonly story: string
}

const tool: Story = {
  samples: `, samples: { TOOL: [{ input: { name: 'Ada' }, text: 'Hello, Ada!' }] }`,
  kit: ['fakeProvider', 'fakeTalk'],
  story: `test('a model calls the tool and reads its answer', { timeout: 60_000 }, async () => {
  const model = fakeProvider([{ calls: [{ name: 'TOOL', input: { name: 'Ada' } }] }, 'Done.'])
  const kernel = await testKernel({
    plugins: ['conversation'],
    dirs: [dir],
    with: [model.plugin],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      plugins: { entries: { 'NAME': { greeting: 'Good morning' } } },
    },
  })
  try {
    const talk = fakeTalk(kernel)
    await talk.type('Greet Ada, please.')
    assert.deepEqual(talk.answers(), ['Done.'])
    assert.equal(model.requests.at(-1)?.messages.at(-1)?.text, 'Good morning, Ada!')
  } finally {
    await kernel.stop()
  }
})
`,
}

const hooks: Story = {
  kit: ['fakeProvider', 'fakeTalk'],
  imports: { 'svc/sdk': '{ Tools }', zod: '{ z }' },
  story: `/** A tool that reads any file. */
const reader = {
  name: 'reader',
  contributes: { tools: ['read'] },
  setup(ctx) {
    const parameters = z.object({ path: z.string() })
    ctx.add(Tools, { name: 'read', description: 'Reads.', parameters, reach: 'nothing', execute: () => 'KEY=1' })
  },
}

test('what comes in is trimmed, and .env files stay out of reach', { timeout: 60_000 }, async () => {
  const model = fakeProvider([{ calls: [{ name: 'read', input: { path: '.env' } }] }, 'Done.'])
  const kernel = await testKernel({
    plugins: ['conversation'],
    dirs: [dir],
    with: [model.plugin, reader],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  try {
    const talk = fakeTalk(kernel)
    await talk.type('  What is in .env?  ')
    assert.deepEqual(talk.answers(), ['Done.'])
    assert.equal(model.requests[0]?.messages.at(-1)?.text, 'What is in .env?')
    assert.match(model.requests[1]?.messages.at(-1)?.text ?? '', /NAME keeps .env files out of reach/)
  } finally {
    await kernel.stop()
  }
})
`,
}

const provider: Story = {
  kit: ['fakeTalk'],
  story: `test('the model says again what it was told', { timeout: 60_000 }, async () => {
  const kernel = await testKernel({
    plugins: ['conversation'],
    dirs: [dir],
    config: { model: { provider: 'NAME', default: 'NAME-1' } },
  })
  try {
    const talk = fakeTalk(kernel)
    await talk.type('Hello!')
    assert.deepEqual(talk.answers(), ['You said: Hello!'])
  } finally {
    await kernel.stop()
  }
})
`,
}

const platform: Story = {
  imports: { 'node:events': '{ once }', 'node:http': '{ createServer }', 'svc/sdk/platform': '{ Platforms }' },
  story: `test('the service is asked whether it is there', { timeout: 60_000 }, async () => {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  const kernel = await testKernel({
    dirs: [dir],
    config: { plugins: { entries: { 'NAME': { url: 'http://127.0.0.1:' + port } } } },
  })
  try {
    const platform = kernel.all(Platforms).get('NAME')
    assert.equal(await platform?.probe?.(), true)
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
    assert.equal(await platform?.probe?.(), false)
  } finally {
    await kernel.stop()
    server.close()
  }
})
`,
}

const stories: Readonly<Record<Kind, Story>> = { tool, platform, provider, hooks }
