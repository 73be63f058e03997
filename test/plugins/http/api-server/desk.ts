/** The API server over a model that says what a test scripted. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnswerFormatSupport } from 'svc/sdk/provider'
import { fakeProvider, type ScriptedReply, type TestKernel, testKernel, type VirtualClock } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'

export const KEY = 'correct-horse-battery-staple'

export interface ApiDesk {
  readonly kernel: TestKernel
  /** With `/v1`, as clients want it. */
  readonly url: string
  readonly origin: string
  readonly model: ReturnType<typeof fakeProvider>
  /** Asks with the key; a body that is no text is sent as JSON. */
  ask(path: string, options?: AskOptions): Promise<Response>
  /** The same, as JSON. */
  read(path: string, options?: AskOptions): Promise<{ readonly status: number; readonly body: Reply }>
  /** What was last said to the model, without the system prompt. */
  heard(): readonly string[]
}

// A reply as a client without types sees it.
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
export type Reply = any

export interface AskOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface DeskOptions {
  readonly home?: string
  /** How the model can be held to a form. */
  readonly formats?: AnswerFormatSupport
  readonly config?: Record<string, unknown>
  /** The block `model` of config.yaml; left out: the scripted model. */
  readonly modelConfig?: Record<string, unknown>
  /** Other blocks of config.yaml. */
  readonly settings?: Record<string, unknown>
  readonly env?: Record<string, string>
  readonly plugins?: readonly string[]
  readonly with?: NonNullable<Parameters<typeof testKernel>[0]>['with']
  readonly clock?: VirtualClock
}

export async function openApi(
  script: Parameters<typeof fakeProvider>[0] | readonly ScriptedReply[],
  options: DeskOptions = {},
): Promise<ApiDesk> {
  const model = fakeProvider(script, options.formats && { formats: options.formats })
  const cwd = mkdtempSync(join(tmpdir(), 'svc-api-work-'))
  const kernel = await testKernel({
    ...(options.home && { home: options.home }),
    plugins: ['api-server', 'api-catalogue', ...(options.plugins ?? [])],
    with: [model.plugin, ...(options.with ?? [])],
    ...(options.clock && { clock: options.clock }),
    env: { API_SERVER_KEY: KEY, ...options.env },
    config: {
      ...options.settings,
      model: options.modelConfig ?? { provider: 'fake', default: 'fake-1' },
      // The whole gateway would come along.
      plugins: { disabled: ['gateway'] },
      platforms: { api_server: { port: 0, cwd, ...options.config } },
    },
  })
  onTestFinished(async () => {
    await kernel.stop()
    removeFolder(cwd)
  })
  const app = kernel
    .use(Http)
    .apps()
    .find(({ name }) => name === 'api-server')
  if (!app) throw new Error(`the API server does not listen: ${JSON.stringify(kernel.problems())}`)
  const origin = app.url
  const ask: ApiDesk['ask'] = (path, { method, body, headers, signal } = {}) =>
    fetch(`${origin}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  return {
    kernel,
    model,
    origin,
    url: `${origin}/v1`,
    ask,
    async read(path, askOptions) {
      const response = await ask(path, askOptions)
      return { status: response.status, body: (await response.json()) as Reply }
    },
    heard: () =>
      (model.requests.at(-1)?.messages ?? [])
        .filter(({ role }) => role !== 'system')
        .map(({ role, text }) => `${role}: ${text}`),
  }
}

/** Events of a stream: names, ids and data. */
export function parseEvents(text: string): { readonly name?: string; readonly id?: string; readonly data: Reply }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const [name, id, data = ''] = [field('event'), field('id'), field('data')]
      return {
        ...(name !== undefined && { name }),
        ...(id !== undefined && { id }),
        data: data === '[DONE]' ? data : (JSON.parse(data) as Reply),
      }
    })
}

/** Events of a response, whose stream has to end with the mark that Open Responses asks for. */
export function parseResponseEvents(text: string): ReturnType<typeof parseEvents> {
  const events = parseEvents(text)
  if (events.pop()?.data !== '[DONE]') throw new Error('the stream of a response does not end with [DONE]')
  return events
}
