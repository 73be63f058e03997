import { virtualClock } from 'svc/sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { startWebFake } from '../../../../support/web-fake.ts'
import { fakeBackend, type StageOptions, startStage } from './stage.ts'

let stage: Awaited<ReturnType<typeof startStage>>
afterEach(() => stage.kernel.stop())

async function search(options: StageOptions, input: object = { query: 'cats' }): Promise<string> {
  stage = await startStage(options)
  return (await stage.call('web_search', input)).text
}

test('hits come as a numbered list on clean lines, each address once', async () => {
  const hits = [
    { title: 'One &amp;\n <b>only</b>', url: 'https://one.example/', snippet: 'a  <strong>b</strong>\n\nc' },
    { title: 'Again', url: 'https://one.example/', snippet: '' },
    { title: '', url: 'https://two.example/', snippet: '' },
    { title: 'Bad', url: 'javascript:alert(1)', snippet: '' },
    { title: '1 < 2 and 3 > 2', url: 'https://three.example/', snippet: 'x'.repeat(2000) },
  ]
  const said = await search({ backends: [fakeBackend('mine', { search: async () => hits })] })
  expect(said.split('\n').map((line) => line.slice(0, 40))).toEqual([
    '1. One & only',
    '   https://one.example/',
    '   a b c',
    '2. https://two.example/',
    '   https://two.example/',
    '3. 1 < 2 and 3 > 2',
    '   https://three.example/',
    `   ${'x'.repeat(37)}`,
  ])
})

test('no hits are said to be none, and the limit is kept', async () => {
  expect(await search({ backends: [fakeBackend('mine', { search: async () => [] })] })).toBe(
    'Nothing found for "cats".',
  )
  await stage.kernel.stop()
  const many = Array.from({ length: 30 }, (_, at) => ({ title: 't', url: `https://a.example/${at}`, snippet: '' }))
  const said = await search({ backends: [fakeBackend('mine', { search: async () => many })] }, { query: 'x', limit: 3 })
  expect(said).toContain('3. t')
  expect(said).not.toContain('4. t')
})

test('the first backend in order that is not missing anything is asked', async () => {
  const backends = [
    fakeBackend('late', { order: 70 }),
    fakeBackend('early', { order: 5, missing: () => 'needs EARLY_KEY' }),
    fakeBackend('middle', { order: 20 }),
    fakeBackend('reader', { order: 1, search: undefined as never }),
  ]
  expect(await search({ backends })).toContain('cats by middle')
})

test.for([
  [{ backend: 'two' }, 'cats by two'],
  [{ search_backend: 'two', backend: 'one' }, 'cats by two'],
  [{ extract_backend: 'two' }, 'cats by one'],
] as const)('the configuration %j decides who is asked', async ([config, expected]) => {
  const backends = [fakeBackend('one', { order: 1 }), fakeBackend('two', { order: 2 })]
  const said = await search({ backends, config })
  expect(said).toContain(expected)
  expect(said).not.toContain('These are')
})

test('a backend that fails is followed by the next, and the result says so', async () => {
  const backends = [fakeBackend('one', { order: 1, problem: 'its plan is used up.' }), fakeBackend('two', { order: 2 })]
  const said = await search({ backends })
  expect(said).toContain('cats by two')
  expect(said).toMatch(/one failed: its plan is used up\.\nThese are the results of two\.$/)
})

test.for([
  ['nobody', 'web.backend is nobody, which is not there (there are local, locked, one)'],
  ['locked', 'web.backend is locked, which needs LOCKED_KEY'],
] as const)('a chosen backend that cannot be used, %s, is replaced and named', async ([backend, reason]) => {
  const backends = [fakeBackend('one'), fakeBackend('locked', { missing: () => 'needs LOCKED_KEY' })]
  const said = await search({ backends, config: { backend } })
  expect(said).toContain('cats by one')
  expect(said).toContain(reason)
})

test('when all fail, what each of them said is the failure', async () => {
  const backends = [fakeBackend('one', { problem: 'first reason' }), fakeBackend('two', { problem: 'second reason' })]
  await expect(search({ backends })).rejects.toMatchObject({
    code: 'WEB_SEARCH_FAILED',
    message: expect.stringMatching(/one failed: first reason\n.*two failed: second reason/s),
  })
})

test('the tool is not offered while no backend can search', async () => {
  stage = await startStage({ backends: [fakeBackend('one', { missing: () => 'needs a key' })] })
  expect(stage.tool('web_search').missing?.()).toContain('needs a web backend')
  expect(stage.tool('web_extract').missing?.()).toBeUndefined()
})

test('a backend that takes longer than a minute is given up for the next', async () => {
  const clock = virtualClock()
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const slow = fakeBackend('slow', {
    order: 1,
    search: (_query, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        asked()
      }),
  })
  stage = await startStage({ backends: [slow, fakeBackend('two')], clock })
  const running = stage.call('web_search', { query: 'cats' })
  await isAsked
  await clock.advance(60_000)
  expect((await running).text).toMatch(/cats by two.*slow failed: it took longer than 60 s/s)
})

test('an interrupt is no failure of a backend: no one else is asked', async () => {
  const controller = new AbortController()
  const interrupted = fakeBackend('one', {
    search: async () => {
      controller.abort(new Error('interrupted'))
      throw new Error('the connection broke')
    },
  })
  stage = await startStage({ backends: [interrupted, fakeBackend('two')] })
  await expect(stage.call('web_search', { query: 'cats' }, controller.signal)).rejects.toThrow('interrupted')
})

test('real backends stand in for each other: a refused key, a silent server, and the one that needs no key', async () => {
  const refused = await startWebFake(() => ({ status: 401, body: '{"detail":{"error":"no such key"}}' }))
  const silent = await startWebFake(() => ({ body: '{"results":[],"unresponsive_engines":[["google","timeout"]]}' }))
  const page =
    '<div class="result web-result"><a class="result__a" href="https://cats.example/">Cats</a><a class="result__snippet">They purr.</a></div>'
  const open = await startWebFake(() => ({ headers: { 'content-type': 'text/html' }, body: page }))
  const said = await search({
    real: {
      'web-duckduckgo': { base_url: open.url },
      'web-searxng': { base_url: silent.url },
      'web-tavily': { base_url: refused.url },
    },
    env: { TAVILY_API_KEY: 'tvly-0123456789' },
  })
  expect(said).toBe(
    [
      '1. Cats\n   https://cats.example/\n   They purr.\n',
      'tavily failed: Tavily does not accept TAVILY_API_KEY (status 401): no such key. Check the key.',
      'searxng failed: None of the engines of the SearXNG server answered: google: timeout.',
      'These are the results of duckduckgo.',
    ].join('\n'),
  )
  await Promise.all([refused, silent, open].map((fake) => fake.close()))
})
