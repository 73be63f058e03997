/**
 * The life of a plugin that an outsider writes, through the built program: made, tested, verified, published in a registry
 * and in git, installed, updated, broken, rolled back and purged.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository } from '../support/git-repository.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { type NpmRegistry, startNpmRegistry } from '../support/npm-registry.ts'
import { attempt, cleanEnvironment, type Said } from '../support/packed.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { isToday } from '../support/today.ts'

const LIMIT_MS = 240_000
let registry: NpmRegistry
let model: ModelServer

beforeAll(async () => {
  registry = await startNpmRegistry()
  const call = { name: 'weather', arguments: { city: 'Bern' } }
  model = await startModelServer({
    replies: ({ body }) => {
      const { messages } = body as { messages: { role: string; content: unknown }[] }
      const last = messages.at(-1)
      return last?.role === 'tool'
        ? { text: [`The tool says: ${JSON.stringify(last.content)}`] }
        : { text: [], calls: [call] }
    },
  })
})
afterAll(async () => {
  await Promise.all([registry?.close(), model?.close()])
})

/** A user with a home, a folder to work in, and a configured model. */
function createUser() {
  const [home, folder, cache] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const settings = `model:\n  provider: custom\n  base_url: ${model.url}\n  default: fake-model\n`
  writeFileSync(join(home, 'config.yaml'), settings)
  const env = { ...cleanEnvironment(), SVC_HOME: home, npm_config_registry: registry.url, npm_config_cache: cache }
  const program = join(root, 'dist/kernel/bin.cjs')
  const svc = (...words: string[]): Promise<Said> => attempt(process.execPath, [program, ...words], folder, env)
  const done = async (...words: string[]) => {
    const said = await svc(...words)
    expect(said, words.join(' ')).toMatchObject({ code: 0 })
    return said.out
  }
  return { home, folder, svc, done }
}

/** The files of a plugin as an author publishes them, with the tests left out. */
function readRelease(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => {
    return !/(^|\/)(node_modules|test)(\/|$)|\.test\./.test(file) && statSync(join(dir, file)).isFile()
  })
  return Object.fromEntries(
    files.map((file) => [relative(dir, join(dir, file)), readFileSync(join(dir, file), 'utf8')]),
  )
}

/** The next version answers in other words, and writes to its data folder. */
function writeVersion(dir: string, version: string, code: (name: string) => string): void {
  for (const file of ['plugin.json', 'package.json']) {
    const parsed = JSON.parse(readFileSync(join(dir, file), 'utf8')) as Record<string, unknown>
    writeFileSync(
      join(dir, file),
      JSON.stringify(
        { ...parsed, version, ...(file === 'package.json' && { keywords: ['svc-plugin'] }) },
        undefined,
        2,
      ),
    )
  }
  writeFileSync(join(dir, 'index.ts'), code(version))
}

const working = (version: string) => `import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, Tools } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    ctx.add(Tools, {
      name: 'weather',
      description: 'Tells the weather.',
      toolset: 'weather',
      reach: 'nothing',
      effect: 'pure',
      input: z.object({ city: z.string().optional() }),
      async run() {
        mkdirSync(ctx.dataDir, { recursive: true })
        appendFileSync(join(ctx.dataDir, 'asked.txt'), '${version}\\n')
        return 'sunny in ${version}'
      },
    })
  },
})
`
/** A test of the author: a model uses the tool of the folder. */
const story = (version: string) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'

test('the weather is told', { timeout: 60_000 }, async () => {
  const model = fakeProvider([{ calls: [{ name: 'weather', input: { city: 'Bern' } }] }, 'Sunny.'])
  const kernel = await testKernel({
    plugins: ['conversation'],
    dirs: [fileURLToPath(new URL('..', import.meta.url))],
    with: [model.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  try {
    await fakeTalk(kernel).type('How is the weather?')
    assert.equal(model.requests.at(-1).messages.at(-1).text, 'sunny in ${version}')
  } finally {
    await kernel.stop()
  }
})
`
const broken = () => `import { definePlugin } from 'svc/sdk'
export default definePlugin({
  setup() {
    throw new Error('the forecast is bad')
  },
})
`

/** `npm test` of the author, without a network. */
async function testAsAuthor(dir: string): Promise<Said> {
  return attempt('npm', ['test', '--silent'], dir, { ...cleanEnvironment(), npm_config_offline: 'true' })
}

test.runIf(isToday(0, 2))(
  'a plugin is made, tested, verified, published, installed, updated, broken, rolled back and purged',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const author = createUser()
    await author.done('plugins', 'new', 'weather')
    const dir = join(author.folder, 'weather')
    expect(await author.done('plugins', 'verify', './weather')).toContain('keeps the contracts of svc')
    expect(await testAsAuthor(dir)).toMatchObject({ code: 0, out: expect.stringMatching(/pass 2\n/) })
    writeVersion(dir, '1.0.0', working)
    expect(await testAsAuthor(dir)).toMatchObject({ code: 1 })
    writeFileSync(join(dir, 'test', 'weather.test.js'), story('1.0.0'))
    expect(await testAsAuthor(dir)).toMatchObject({ code: 0, out: expect.stringMatching(/pass 1\n/) })
    expect(await author.done('plugins', 'verify', './weather')).toContain('keeps the contracts of svc')
    registry.publish(readRelease(dir))
    const { name } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as { name: string }

    const user = createUser()
    const ask = () => user.done('chat', '-q', 'What is the weather?')
    expect((await user.svc('plugins', 'install', name)).err).toContain('add --yes')
    expect(await user.done('plugins', 'install', name, '--yes')).toContain('weather is on')
    expect(await ask()).toContain('sunny in 1.0.0')

    writeVersion(dir, '1.1.0', working)
    registry.publish(readRelease(dir))
    expect(await user.done('plugins', 'outdated')).toMatch(/weather +1\.0\.0 -> 1\.1\.0 +newer/)
    expect(await user.done('plugins', 'update', 'weather', '--yes')).toContain('weather is 1.1.0 now')
    expect(await ask()).toContain('sunny in 1.1.0')
    const asked = join(user.home, 'data', 'weather', 'asked.txt')
    expect(readFileSync(asked, 'utf8')).toBe('1.0.0\n1.1.0\n')

    writeVersion(dir, '1.2.0', broken)
    registry.publish(readRelease(dir))
    expect((await user.svc('plugins', 'update', 'weather', '--yes')).err).toMatch(
      /the forecast is bad.*PLUGIN_VERIFY_FAILED/s,
    )
    expect(await ask()).toContain('sunny in 1.1.0')
    expect(await user.done('plugins', 'update', 'weather', '--yes', '--no-verify')).toContain('weather is 1.2.0 now')
    expect(await ask()).not.toContain('sunny')
    expect(await user.done('plugins', 'rollback', 'weather', '--yes')).toContain('weather is 1.1.0 again')
    expect(await ask()).toContain('sunny in 1.1.0')
    expect(await user.done('plugins', 'rollback', 'weather', '--yes')).toContain('weather is 1.0.0 again')
    expect(readFileSync(asked, 'utf8')).toBe('1.0.0\n')

    await user.done('plugins', 'remove', 'weather', '--purge', '--yes')
    expect(existsSync(join(user.home, 'data', 'weather'))).toBe(false)
    expect(readFileSync(join(user.home, 'config.yaml'), 'utf8')).not.toContain('weather')
    expect((await user.svc('plugins', 'info', 'weather')).err).toContain('PLUGIN_UNKNOWN')
    expect(await user.done('plugins', 'restore', 'weather', '--yes')).toContain('weather 1.0.0 is back')
    expect(await ask()).toContain('sunny in 1.0.0')
  },
)

test.runIf(isToday(1, 2))(
  'the same from git: a tag is installed, the next is taken, and one that moved is refused',
  {
    timeout: LIMIT_MS,
  },
  async () => {
    const author = createUser()
    await author.done('plugins', 'new', 'weather')
    const dir = join(author.folder, 'weather')
    const remote = createGitRepository(temporaryFolder())
    writeVersion(dir, '1.0.0', working)
    remote.commit(readRelease(dir), 'v1.0.0')

    const user = createUser()
    const ask = () => user.done('chat', '-q', 'What is the weather?')
    expect(await user.done('plugins', 'install', `${remote.url}#v1.0.0`, '--yes')).toContain('weather is on')
    expect(await ask()).toContain('sunny in 1.0.0')
    writeVersion(dir, '1.1.0', working)
    remote.commit(readRelease(dir), 'v1.1.0')
    expect(await user.done('plugins', 'update', '--yes')).toContain('weather is 1.1.0 now')
    expect(await ask()).toContain('sunny in 1.1.0')
    writeVersion(dir, '1.1.0', () => working('a moved tag'))
    remote.commit(readRelease(dir), 'v1.1.0')
    expect(await user.done('plugins', 'outdated')).toContain('moved')
    expect((await user.svc('plugins', 'update', 'weather', '--yes')).err).toContain('PLUGIN_TAG_MOVED')
    expect(await ask()).toContain('sunny in 1.1.0')
    await user.done('plugins', 'rollback', 'weather', '--yes')
    expect(await ask()).toContain('sunny in 1.0.0')
    await user.done('plugins', 'remove', 'weather', '--purge', '--yes')
    expect(readdirSync(join(user.home, 'plugins')).filter((entry) => !entry.startsWith('.'))).toEqual([])
  },
)
