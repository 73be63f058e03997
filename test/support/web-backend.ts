/** What every backend of the web tools keeps, whichever service it calls. */
import { errorCode } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { type SearchResult, type WebSearchProvider, WebSearchProviders } from 'svc/sdk/web'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startWebFake, type WebAnswer, type WebFake, type WebRequest } from './web-fake.ts'

/** The key that the fake services are given. */
export const KEY = 'key-0123456789abcdef'

/** A backend and the service it asks. */
export interface BackendCase {
  readonly plugin: string
  readonly name: string
  readonly code: string
  /** The variable of its key, and the header that carries it; none for services without. */
  readonly key?: { readonly variable: string; readonly header: string; readonly value: string }
  /** More of the environment, given the address of the fake. */
  readonly env?: (url: string) => Readonly<Record<string, string>>
  /** An error as the service writes it. */
  readonly error: (message: string) => string
  /** What it answers when there is nothing to find. */
  readonly nothing: string
  readonly reply: (request: WebRequest, url: string) => WebAnswer
  /** What `reply` stands for, as the backend gives it for `cats`. */
  readonly hits: readonly SearchResult[]
}

/** The running parts of a test. */
export interface BackendStage {
  readonly fake: WebFake
  readonly kernel: TestKernel
  readonly backend: WebSearchProvider
}

/** Adds the tests; returns what runs during each of them. */
export function testBackend(each: BackendCase): () => BackendStage {
  let stage: BackendStage
  beforeEach(async () => {
    const fake: WebFake = await startWebFake((request) => each.reply(request, fake.url))
    const env = { ...(each.key && { [each.key.variable]: KEY }), ...each.env?.(fake.url) }
    const entries = { [each.plugin]: { base_url: `${fake.url}/` } }
    const kernel = await testKernel({ plugins: [each.plugin], env, config: { plugins: { entries } } })
    const backend = kernel.all(WebSearchProviders).get(each.name)
    if (!backend) throw new Error(`${each.plugin} contributes no ${each.name}: ${JSON.stringify(kernel.problems())}`)
    stage = { fake, kernel, backend }
  })
  afterEach(async () => {
    await stage.kernel.stop()
    await stage.fake.close()
  })
  const never = new AbortController().signal
  const search = (signal = never) => stage.backend.search?.('cats', { limit: 2, signal })
  const failure = async () => {
    const error: unknown = await Promise.resolve(search()).then(
      () => 'no failure',
      (reason) => reason,
    )
    expect(errorCode(error)).toBe(each.code)
    return (error as Error).message
  }

  test('finds what the service finds, as far as was asked for', async () => {
    expect(await search()).toEqual(each.hits)
    expect(stage.backend.missing()).toBeUndefined()
  })

  test('nothing found is no failure', async () => {
    stage.fake.fault = { body: each.nothing }
    expect(await search()).toEqual([])
  })

  if (each.key) testKey(each, each.key, { stage: () => stage, search, failure })

  test.for<readonly [string, WebFake['fault'], RegExp]>([
    ['a limit with the time to wait', { status: 429, headers: { 'retry-after': '30' }, body: '{}' }, /in 30 s/],
    ['a used up plan', { status: 402, body: each.error('Pay first') }, /plan .* used up .*Pay first\./],
    ['a fault of the service', { status: 503, body: '<h1>Bad gateway</h1>' }, /has a fault \(status 503\)\. Try/],
    ['an explained refusal', { status: 422, body: each.error('Too long') }, /refused the request .*Too long\./],
    [
      'a move',
      { status: 301, headers: { location: 'https://new.example/' }, body: '' },
      /sends to https:\/\/new\.example/,
    ],
    ['a web page', { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' }, /page/],
    ['garbage', { body: '\u0000\u0001{{{' }, /not JSON|not known/],
    ['data of another form', { body: '{"results":{"a":1},"data":[],"web":7}' }, /documentation says|not known/],
    ['an answer that breaks off', 'cut', /in the middle/],
  ])('%s is a failure with its reason', async ([, fault, reason]) => {
    stage.fake.fault = fault
    expect(await failure()).toMatch(reason)
  })

  test('an interrupt ends a search that waits for the service', async () => {
    stage.fake.fault = 'stall'
    const controller = new AbortController()
    const running = search(controller.signal)
    await stage.fake.stalled
    controller.abort(new Error('interrupted by the user'))
    await expect(running).rejects.toThrow('interrupted by the user')
  })
  return () => stage
}

/** What a backend with a key keeps as well. */
function testKey(
  each: BackendCase,
  key: NonNullable<BackendCase['key']>,
  running: {
    readonly stage: () => BackendStage
    readonly search: () => Promise<unknown> | undefined
    readonly failure: () => Promise<string>
  },
): void {
  test('the key goes into its header and nowhere else, and is not repeated to anyone', async () => {
    await running.search()
    const { fake } = running.stage()
    const [request] = fake.requests
    expect(request?.headers[key.header]).toBe(key.value)
    expect(`${request?.path}?${request?.query} ${request?.body}`).not.toContain(KEY)
    fake.fault = { status: 401, body: each.error(`The key ${KEY} is not known`) }
    const said = await running.failure()
    expect(said).toContain(key.variable)
    expect(said).toContain('The key *** is not known.')
  })

  test('without its key it says what is missing', async () => {
    const kernel = await testKernel({ plugins: [each.plugin] })
    expect(kernel.all(WebSearchProviders).get(each.name)?.missing()).toContain(`needs ${key.variable}`)
    await kernel.stop()
  })
}
