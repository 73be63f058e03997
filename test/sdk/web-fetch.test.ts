import OpenAI from 'openai'
import { type NetRequest, SvcError } from 'svc/sdk'
import { type ApiClient, createFetch, toApiError } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { z } from 'zod'

const limits = { timeoutMs: 1000, idleMs: 1000, maxBytes: 1000 }
const signal = new AbortController().signal

/** A service that answers like this, and what it was sent. */
function service(status: number, body: string) {
  const requests: NetRequest[] = []
  const about: ApiClient = {
    who: 'The service',
    code: 'SERVICE_FAILED',
    now: () => 0,
    mask: (text) => text.replaceAll('a-secret', '***'),
    net: {
      request: async (request) => {
        requests.push(request)
        const bytes = Buffer.from(body)
        return {
          status,
          headers: {},
          body: (async function* () {
            yield bytes
          })(),
          text: async () => body,
          json: async () => JSON.parse(body),
          close() {},
        }
      },
    },
  }
  return { about, requests }
}

function client(about: ApiClient, schema?: z.ZodType): OpenAI {
  return new OpenAI({
    apiKey: 'a-secret',
    baseURL: 'https://model.test/v1',
    maxRetries: 0,
    fetch: createFetch(about, { ...limits, ...(schema ? { schema } : {}) }),
  })
}

test('a library asks over the network of svc, and tells no one what machine it runs on', async () => {
  const { about, requests } = service(200, '{"data":[{"b64_json":"QUJD"}],"created":1}')
  const schema = z.looseObject({ data: z.array(z.object({ b64_json: z.string() })) })
  const { data } = await client(about, schema).images.generate({ prompt: 'A fox.', model: 'm' })
  expect(data?.[0]?.b64_json).toBe('QUJD')
  const [sent] = requests
  expect(sent).toMatchObject({ url: 'https://model.test/v1/images/generations', method: 'POST', timeoutMs: 1000 })
  expect(JSON.parse(String(sent?.body))).toEqual({ prompt: 'A fox.', model: 'm' })
  expect(Object.keys(sent?.headers ?? {}).filter((name) => /stainless|user-agent/.test(name))).toEqual([])
})

test('a refusal comes out of the library as the sentence of svc, without the key in it', async () => {
  const { about } = service(401, '{"error":{"message":"wrong key a-secret"}}')
  const error = await client(about)
    .images.generate({ prompt: 'A fox.' })
    .catch((thrown: unknown) => toApiError(thrown, about, signal))
  expect(error).toBeInstanceOf(SvcError)
  expect(error).toMatchObject({ code: 'SERVICE_FAILED', message: expect.stringContaining('wrong key ***') })
})

test('an answer of another form is no answer, and an interruption is its own reason', async () => {
  const { about } = service(200, '{"data":7}')
  const schema = z.object({ data: z.array(z.unknown()) })
  const thrown: unknown = await client(about, schema)
    .images.generate({ prompt: 'A fox.' })
    .catch((error: unknown) => error)
  expect(toApiError(thrown, about, signal)).toMatchObject({
    message: expect.stringMatching(/documentation says \(data/),
  })
  expect(toApiError(thrown, about, AbortSignal.abort('stop'))).toBe('stop')
})
