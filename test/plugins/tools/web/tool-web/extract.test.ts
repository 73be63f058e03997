import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AuxiliaryModels } from 'svc/sdk'
import type { AuxiliaryRequest } from 'svc/sdk/provider'
import { afterEach, expect, test } from 'vitest'
import { fakeBackend, type StageOptions, startStage } from './stage.ts'

let stage: Awaited<ReturnType<typeof startStage>>
afterEach(() => stage.kernel.stop())

const long = Array.from({ length: 2000 }, (_, at) => `line ${at} of the page`).join('\n')
const page = (text: string) => fakeBackend('mine', { extract: async (url) => ({ url, title: 'A\npage', text }) })

async function extract(options: StageOptions, input: object = { urls: ['http://8.8.8.8/p'] }) {
  stage = await startStage(options)
  return stage.call('web_extract', input)
}

function fileIn(text: string): string {
  return / is in (\/\S+\.md)\]/.exec(text)?.[1] ?? 'no file is named'
}

test('a short page is shown whole, with its title and address', async () => {
  const { text } = await extract({ backends: [page('They purr.')] })
  expect(text).toBe('# A page\nhttp://8.8.8.8/p\n\nThey purr.')
  expect(stage.progress).toEqual(['reading 8.8.8.8'])
})

test('a long page is cut at the end of a line and is whole in a file that only the user can read', async () => {
  const { text } = await extract({ backends: [page(long)] })
  expect(text.length).toBeLessThan(15_400)
  expect(text).toMatch(/of the page\n\n\[Cut after \d+ of 42889 characters\. The whole page is in \//)
  const file = fileIn(text)
  expect(readFileSync(file, 'utf8')).toBe(`# A page\nhttp://8.8.8.8/p\n\n${long}`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.for([
  [undefined, 4000, 4000],
  [10, 15_000, 2000],
  [3000, 15_000, 3000],
  [9e9, 15_000, 42_889],
] as const)(
  'with a char_limit of %j and a setting of %i about %i characters are shown',
  async ([limit, setting, most]) => {
    const input = { urls: ['http://8.8.8.8/p'], ...(limit === undefined ? {} : { char_limit: limit }) }
    const { text } = await extract({ backends: [page(long)], config: { extract_char_limit: setting } }, input)
    const [, , body = ''] = /^(.*?\n.*?)\n\n(.*?)(\n\n\[Cut.*)?$/s.exec(text) ?? []
    expect(body.length).toBeLessThanOrEqual(most)
    expect(body.length).toBeGreaterThan(most - 100)
  },
)

test('a page without end is kept up to two million characters, secrets masked', async () => {
  const endless = `my key is plain-secret-123\n${'😀'.repeat(1_200_000)}`
  const { text } = await extract({ backends: [page(endless)], env: { MY_API_KEY: 'plain-secret-123' } })
  const kept = readFileSync(fileIn(text.replace(' (its first 2000000 characters)', '')), 'utf8')
  expect(kept).toContain('my key is ***')
  expect(kept.length).toBeLessThan(2_000_100)
  expect(kept).not.toMatch(/[\ud800-\udbff]$/)
})

test('the files of a hundred pages are kept, the oldest go', async () => {
  const first = fileIn((await extract({ backends: [page(long)] })).text)
  for (let at = 0; at < 120; at += 1) writeFileSync(join(dirname(first), `old-${at}.md`), 'x')
  const second = await stage.call('web_extract', { urls: ['http://8.8.4.4/other'] })
  const names = readdirSync(dirname(first))
  expect(names).toHaveLength(100)
  expect(names).toContain(fileIn(second.text).split('/').at(-1))
})

test('several pages are read, one of them refused: the others are shown', async () => {
  const backends = [page('They purr.')]
  const urls = [
    'http://8.8.8.8/a',
    'http://169.254.169.254/latest',
    '8.8.4.4/b',
    'http://8.8.8.8/a',
    'http://8.8.8.8/?token=abc',
  ]
  const { text, failed } = await extract({ backends }, { urls })
  expect(text.split('\n\n---\n\n').map((each) => each.split('\n').slice(0, 2).join(' '))).toEqual([
    '# A page http://8.8.8.8/a',
    expect.stringContaining('http://169.254.169.254 may not be opened'),
    '# A page https://8.8.4.4/b',
    expect.stringContaining('"token" looks like a secret'),
  ])
  expect(text).not.toContain('abc')
  expect(failed).toBeUndefined()
})

test('a refused address is told to no backend', async () => {
  const asked: string[] = []
  const spy = fakeBackend('mine', { extract: async (url) => ({ url: String(asked.push(url)), text: 'x' }) })
  const { failed } = await extract({ backends: [spy] }, { urls: ['http://169.254.169.254/', 'file:///etc/passwd'] })
  expect([failed, asked]).toEqual([true, []])
})

test('when no backend can read the page, the reasons of all are the result', async () => {
  const backends = [fakeBackend('mine', { problem: 'it is down.' })]
  const { text, failed } = await extract({ backends }, { urls: ['http://127.0.0.1:1/'] })
  expect(failed).toBe(true)
  expect(text).toMatch(
    /^http:\/\/127\.0\.0\.1:1\/ could not be read\.\nmine failed: it is down\.\nlocal failed: .*nothing listens/,
  )
})

test('a page without text is a failure of its backend', async () => {
  const backends = [
    fakeBackend('one', { order: 1, extract: async (url) => ({ url, text: ' \n' }) }),
    fakeBackend('two'),
  ]
  const { text } = await extract({ backends })
  expect(text).toMatch(
    /the page\n\none failed: the page has no text; it may need scripts\.\n\nThis is what two read\.$/,
  )
})

test('a page that another backend had to read says so', async () => {
  const backends = [fakeBackend('one', { order: 1, problem: 'it is down.' }), fakeBackend('two', { order: 2 })]
  const { text } = await extract({ backends, config: { extract_backend: 'one' } })
  expect(text).toBe('# Read by two\nhttp://8.8.8.8/p\n\nthe page\n\none failed: it is down.\n\nThis is what two read.')
})

function sideModels(ask: (request: AuxiliaryRequest) => Promise<string>): NonNullable<StageOptions['with']> {
  const answer = async (request: AuxiliaryRequest) => ({
    text: await ask(request),
    provider: 'p',
    model: 'm',
    usage: {},
  })
  return [
    {
      name: 'fake-auxiliary',
      provides: ['auxiliary-models'],
      setup: (ctx) => void ctx.provide(AuxiliaryModels, () => ({ ask: answer, slots: () => [] })),
    },
  ]
}

test('a long page is summarised when the user wants that, as data of the user role', async () => {
  const requests: AuxiliaryRequest[] = []
  const models = sideModels(async (request) => {
    requests.push(request)
    return 'In short: lines.'
  })
  const { text } = await extract({ backends: [page(long)], config: { summarize: true }, with: models })
  expect(text).toMatch(/In short: lines\.\n\n\[This is a summary of 42889 characters\. The whole page is in \//)
  expect(requests).toMatchObject([{ slot: 'web_extract', sessionId: 's', turnId: 't' }])
  const [system, user] = requests[0]?.messages ?? []
  expect([system?.role, user?.role]).toEqual(['system', 'user'])
  expect(system?.text).not.toContain('line 7 of')
  expect(user?.text).toContain('line 7 of')
})

test('a summary that fails leaves the cut page, and says so', async () => {
  const models = sideModels(async () => {
    throw new Error('the model is down')
  })
  const { text } = await extract({ backends: [page(long)], config: { summarize: true }, with: models })
  expect(text).toMatch(/line 7 of.*\[Cut after .*It was not summarised: the model is down$/s)
  await stage.kernel.stop()
  const alone = await extract({ backends: [page(long)], config: { summarize: true } })
  expect(alone.text).toContain('It was not summarised: ')
})
