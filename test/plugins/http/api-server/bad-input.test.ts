import { createConnection } from 'node:net'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { describe, expect, test } from 'vitest'
import { KEY, openApi } from './desk.ts'

const chat = '/v1/chat/completions'
const said = (content: unknown) => ({ messages: [{ role: 'user', content }] })

describe('requests that cannot be answered are refused in one shape', () => {
  test.for([
    ['no JSON', chat, '{"messages": [', 400, 'invalid_json', null],
    ['an empty body', chat, '', 400, 'invalid_json', null],
    ['a list', chat, '[]', 400, 'invalid_request', 'body'],
    ['no messages', chat, {}, 400, 'invalid_request', 'messages'],
    ['no message', chat, { messages: [] }, 400, 'invalid_request', 'messages'],
    ['messages that are none', chat, { messages: [null] }, 400, 'invalid_request', 'messages[0]'],
    [
      'an unknown role',
      chat,
      { messages: [{ role: 'ghost', content: 'boo' }] },
      400,
      'invalid_request',
      'messages[0].role',
    ],
    ['only the system', chat, { messages: [{ role: 'system', content: 'x' }] }, 400, 'invalid_request', 'messages'],
    ['a number as content', chat, said(7), 400, 'invalid_content_part', 'messages[0].content'],
    ['a file', chat, said([{ type: 'file', file: {} }]), 400, 'invalid_content_part', 'messages[0].content'],
    [
      'a picture from the disk',
      chat,
      said([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }]),
      400,
      'invalid_image_url',
      'messages[0].content[0]',
    ],
    [
      'a picture that is text',
      chat,
      said([{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }]),
      400,
      'invalid_image_url',
      'messages[0].content[0]',
    ],
    [
      'a picture whose base64 is cut off',
      chat,
      said([
        { type: 'text', text: 'x' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBOR' } },
      ]),
      400,
      'invalid_image_url',
      'messages[0].content[1]',
    ],
    [
      'a picture with characters that base64 has not',
      '/v1/responses',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,iV!!' }] }] },
      400,
      'invalid_image_url',
      'input[0].content[0]',
    ],
    [
      'a picture of an inner network',
      chat,
      said([{ type: 'image_url', image_url: { url: 'http://169.254.169.254/latest/' } }]),
      400,
      'invalid_image_url',
      'messages[0].content[0]',
    ],
    [
      'too many parts',
      chat,
      said(Array.from({ length: 1001 }, () => 'x')),
      400,
      'invalid_content_part',
      'messages[0].content',
    ],
    ['a stream that is no flag', chat, { ...said('x'), stream: 7 }, 400, 'invalid_request', 'stream'],
    [
      'a session with a path',
      chat,
      said('x'),
      400,
      'invalid_session_id',
      'x-svc-session-id',
      { 'x-svc-session-id': '../x' },
    ],
    [
      'a session without end',
      chat,
      said('x'),
      400,
      'invalid_session_id',
      'x-svc-session-id',
      { 'x-svc-session-id': 'x'.repeat(257) },
    ],
    ['an unknown route', '/v2/chat', said('x'), 404, 'not_found', null],
    ['a wrong key', chat, said('x'), 401, 'invalid_api_key', null, { authorization: 'Bearer wrong' }],
    ['a page of another origin', chat, said('x'), 403, 'origin_not_allowed', null, { origin: 'https://evil.example' }],
    ['a job', '/api/jobs', { name: 'x' }, 501, 'not_available', null],
  ] as const)('%s', async ([, path, body, status, code, param, headers = {}]) => {
    const { read, model } = await openApi(['x'])
    const reply = await read(path, { body, headers })
    expect(reply).toEqual({
      status,
      body: {
        error: {
          message: expect.stringMatching(/^.{8,}$/),
          type: status >= 500 ? 'server_error' : 'invalid_request_error',
          param,
          code,
        },
      },
    })
    expect(model.requests).toHaveLength(0)
  })

  test('a body over ten million bytes', async () => {
    const { read } = await openApi(['x'])
    const reply = await read(chat, { body: said('x'.repeat(10_000_001)) })
    expect([reply.status, reply.body.error.code]).toEqual([413, 'body_too_large'])
  })

  test('a method that the route does not have', async () => {
    const { read } = await openApi(['x'])
    const reply = await read('/v1/models', { body: {} })
    expect([reply.status, reply.body.error.code]).toEqual([405, 'method_not_allowed'])
  })
})

test('what is too long is cut, and the model is told', async () => {
  const { ask, heard } = await openApi(['x'])
  await ask(chat, { body: said(`${'é'.repeat(65_535)}😀 and more`) })
  expect(heard()[0]).toMatch(/é\n\[The API server cut this message here: it was longer than 65536 characters\.\]$/)
})

test('a client that leaves stops the turn', async () => {
  let aborted = () => {}
  const stopped = new Promise<void>((resolve) => {
    aborted = resolve
  })
  const { origin, model } = await openApi((request) => {
    request.signal.addEventListener('abort', aborted)
    return { gate: new Promise(() => {}) }
  })
  const socket = createConnection(Number(new URL(origin).port), '127.0.0.1')
  const body = JSON.stringify(said('x'))
  const head = `POST ${chat} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body)
  while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  socket.destroy()
  await stopped
})

test('a stream that no one reads gives its place back', async () => {
  const { ask, read } = await openApi([{ text: 'x' }], { config: { max_concurrent_runs: 1 } })
  for (let count = 0; count < 5; count++) {
    const leaving = new AbortController()
    const asking = ask(chat, { body: { ...said('x'), stream: true }, signal: leaving.signal })
    const response = await asking
    leaving.abort()
    await response.text().catch(() => '')
  }
  for (let status = 429; status !== 200; ) status = (await read(chat, { body: said('x') })).status
})

test('a turn that fails without a word is a failure of the server, one that fails in the middle is half an answer', async () => {
  const failure = { kind: 'server', message: 'The model broke.', retryable: false } as const
  const { read, ask } = await openApi([{ failure }, { text: 'Half', failure }, { text: 'Half', failure }])
  const silent = await read(chat, { body: said('x') })
  expect([silent.status, silent.body.error]).toEqual([
    502,
    {
      message: 'The model broke.',
      type: 'server_error',
      param: null,
      code: 'agent_incomplete',
      svc: { completed: false, partial: false, failed: true, error_code: 'agent_error' },
    },
  ])
  const half = await ask(chat, { body: said('x') })
  expect([half.status, half.headers.get('x-svc-completed'), half.headers.get('x-svc-error')]).toEqual([
    200,
    'false',
    'The model broke.',
  ])
  expect(await half.json()).toMatchObject({
    choices: [{ message: { content: 'Half' }, finish_reason: 'error' }],
    svc: { partial: true, failed: true },
  })
  const stream = await (await ask(chat, { body: { ...said('x'), stream: true } })).text()
  expect(stream).toContain('"finish_reason":"error"')
  expect(stream).toContain('The model broke.')
})

describe('the server', () => {
  const start = async (env: Record<string, string>, config = {}) => {
    const kernel = await testKernel({
      plugins: ['api-server', 'api-catalogue'],
      with: [fakeProvider(['x']).plugin],
      env,
      config: { plugins: { disabled: ['gateway'] }, platforms: { api_server: { port: 0, ...config } } },
    })
    const [app] = kernel.use(Http).apps()
    const problems = kernel.problems().filter(({ plugin }) => plugin === 'api-server')
    await using _ = kernel
    const health = app ? (await fetch(`${app.url}/health`)).status : undefined
    const work = app
      ? (await fetch(`${app.url}/v1/models`, { headers: { authorization: 'Bearer ' } })).status
      : undefined
    return { health, work, code: problems[0]?.code }
  }

  test('is off unless it is wanted', async () => {
    expect(await start({})).toEqual({ health: undefined, work: undefined, code: undefined })
    expect(await start({ API_SERVER_ENABLED: 'false', API_SERVER_KEY: KEY })).toMatchObject({ health: undefined })
    expect(await start({ API_SERVER_KEY: 'changeme' }, { enabled: false })).toMatchObject({ code: undefined })
  })

  test('without a key says that it is there, and does no work', async () => {
    expect(await start({ API_SERVER_ENABLED: 'true' })).toEqual({ health: 200, work: 401, code: undefined })
    expect(await start({}, { enabled: true })).toEqual({ health: 200, work: 401, code: undefined })
  })

  test.for([
    ['a short key', { API_SERVER_KEY: 'short' }, {}, 'API_KEY_WEAK'],
    ['an address for others without a key', { API_SERVER_ENABLED: '1' }, { host: '0.0.0.0' }, 'HTTP_OPEN_DOOR'],
    [
      'an address for others with a placeholder as key',
      { API_SERVER_ENABLED: '1', API_SERVER_KEY: 'changeme' },
      { host: '0.0.0.0' },
      'API_KEY_WEAK',
    ],
    ['a placeholder as key', { API_SERVER_KEY: 'your-api-key-here' }, {}, 'API_KEY_WEAK'],
  ] as const)('does not start with %s', async ([, env, config, code]) => {
    expect(await start(env, config)).toEqual({ health: undefined, work: undefined, code })
  })
})
