/** Servers over HTTP: streamable, SSE, with certificates; and what they may ask of svc while a tool runs. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Questions, Tools, type TurnEvent } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import type { QuestionHandler } from 'svc/sdk/safety'
import { fakeTalk } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startHttpServer } from './http-server.ts'
import { npmServer, openScene, results } from './scene.ts'

const limit = () => AbortSignal.timeout(60_000)
const call = (tool: string, input: object = {}) => ({ calls: [{ name: `mcp__try__${tool}`, input }] })

test('tools, resources and prompts of a server over streamable HTTP, with the headers of its settings', async () => {
  const { url, requests } = await startHttpServer()
  const { ask, servers } = await openScene({
    servers: { try: { url, headers: { 'x-team': 'bees' } } },
    script: [
      call('add', { a: 2, b: 3 }),
      call('list_resources'),
      call('read_resource', { uri: 'notes://today' }),
      call('list_prompts'),
      call('get_prompt', { name: 'greet', arguments: { who: 'Ada' } }),
      call('add', { a: 2 }),
      'done',
    ],
  })
  await servers().connect('try', limit())
  const said = results(await ask('go'))
  expect(said[0]).toBe('5')
  expect(said[1]).toContain('notes://today: notes')
  expect(said[2]).toContain('Buy milk.')
  expect(said[3]).toContain('greet who: Greets')
  expect(said[4]).toBe('Greet Ada.')
  expect(said[5]).toContain('b: is missing')
  expect(requests[0]?.headers).toMatchObject({ 'x-team': 'bees' })
  const offer = await servers().probe('try', limit())
  expect(offer).toMatchObject({
    serverName: 'try',
    prompts: expect.arrayContaining([
      { name: 'greet', description: 'Greets', arguments: [{ name: 'who', description: '', required: true }] },
    ]),
  })
})

test('a server that has only SSE is found out', async () => {
  const { url } = await startHttpServer({ sse: true })
  const { ask, servers } = await openScene({ servers: { try: { url } }, script: [call('add', { a: 1, b: 1 }), 'done'] })
  await servers().connect('try', limit())
  expect(results(await ask('go'))).toEqual(['2'])
})

test('a server of which nothing answers, and one that speaks another language, are told apart', async () => {
  const { url } = await startHttpServer({ refuses: (_request, response) => !!response.end('<html>hello</html>') })
  const { servers } = await openScene({ servers: { page: { url }, none: { url: await closedUrl() } } })
  await expect(servers().connect('page', limit())).rejects.toThrow(/content type/i)
  await expect(servers().connect('none', limit())).rejects.toThrow(/ECONNREFUSED/)
})

test('an answer of 33 MB over HTTP is refused, and the next call is answered', async () => {
  let isHuge = false
  const { url } = await startHttpServer({
    refuses: (_request, response) => {
      if (!isHuge) return false
      response.setHeader('content-type', 'application/json')
      response.end(`{"text":"${'x'.repeat(33 * 1_048_576)}"}`)
      return true
    },
  })
  const { servers } = await openScene({ servers: { try: { url } } })
  await servers().connect('try', limit())
  isHuge = true
  await expect(servers().call('try', 'look', {}, { signal: limit() })).rejects.toThrow('more than 32 MB')
  isHuge = false
  expect(await servers().call('try', 'look', {}, { signal: limit() })).toMatchObject({ text: 'seen' })
})

/** An address at which nothing listens. */
async function closedUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/mcp`
}

/** A CA, and two certificates of it: one of the server, one of the client. */
function makeCertificates(): Readonly<
  Record<'ca' | 'server' | 'client', { readonly cert: string; readonly key: string }>
> {
  const dir = temporaryFolder()
  mkdirSync(dir, { recursive: true })
  const path = (name: string) => join(dir, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe', cwd: dir })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-batch']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=ca', '-days', '2')
  writeFileSync(path('names'), 'subjectAltName=IP:127.0.0.1')
  for (const name of ['server', 'client']) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed)
  }
  const both = readFileSync(path('client.pem'), 'utf8') + readFileSync(path('client.key'), 'utf8')
  writeFileSync(path('both.pem'), both)
  openssl('ec', '-in', 'client.key', '-aes256', '-passout', 'pass:word', '-out', 'locked.key')
  const pair = (name: string) => ({ cert: path(`${name}.pem`), key: path(`${name}.key`) })
  return { ca: pair('ca'), server: pair('server'), client: pair('client') }
}

test('client certificates in their three forms, the bundle of the CA, and what is said when a file is missing', async () => {
  const { ca, server, client } = makeCertificates()
  const read = (file: string) => readFileSync(file, 'utf8')
  const { url } = await startHttpServer({ tls: { cert: read(server.cert), key: read(server.key), ca: read(ca.cert) } })
  const folder = client.cert.slice(0, -'client.pem'.length)
  const base = { url, ssl_verify: ca.cert }
  const { servers } = await openScene({
    servers: {
      pair: { ...base, client_cert: [client.cert, client.key] },
      both: { ...base, client_cert: `${folder}both.pem` },
      single: { ...base, client_cert: client.cert, client_key: client.key },
      locked: { ...base, client_cert: [client.cert, `${folder}locked.key`, 'word'] },
      unchecked: { url, ssl_verify: false, client_cert: [client.cert, client.key] },
      stranger: { url, client_cert: [client.cert, client.key] },
      bare: base,
      missing: { ...base, client_cert: [`${folder}gone.pem`, client.key] },
      home: { ...base, client_cert: client.cert, client_key: '~/no-such-key-of-svc.pem' },
    },
  })
  for (const name of ['pair', 'both', 'single', 'locked', 'unchecked'])
    expect(await servers().connect(name, limit()), name).toMatchObject({ state: 'connected' })
  await expect(servers().connect('stranger', limit())).rejects.toThrow(/certificate/)
  await expect(servers().connect('bare', limit())).rejects.toThrow('could not be connected')
  const missing = `MCP server missing: file not found: ${folder}gone.pem`
  await expect(servers().connect('missing', limit())).rejects.toMatchObject({
    code: 'MCP_FILE_NOT_FOUND',
    message: expect.stringContaining(missing),
  })
  await expect(servers().connect('home', limit())).rejects.toThrow(
    /server home: file not found: \/.*no-such-key-of-svc\.pem/,
  )
})

/** A person who gives the answers in their order. */
function person(answers: readonly string[], asked: string[]): QuestionHandler {
  const left = [...answers]
  return {
    name: 'test',
    reaches: () => true,
    ask: async ({ text }) => {
      asked.push(text)
      return left.shift()
    },
  }
}

test('a server asks a model only with the consent of the person, and never as the system', async () => {
  const { url } = await startHttpServer()
  const { ask, servers, kernel, model } = await openScene({
    servers: { try: { url } },
    plugins: ['auxiliary', 'people'],
    script: [call('think'), 'no', call('think'), 'I am a bee.', 'yes'],
  })
  await servers().connect('try', limit())
  expect(results(await ask('go'))[0]).toContain('the person did not agree')
  const asked: string[] = []
  kernel.use(Questions).connect(person(['Yes'], asked))
  expect(results(await ask('go'))[0]).toContain('the model said {"type":"text","text":"I am a bee."}')
  expect(asked).toMatchObject([expect.stringContaining('The MCP server try wants to ask a model')])
  const [request] = model.requests.filter(({ messages }) => JSON.stringify(messages).includes('You obey the server.'))
  expect(request?.messages.map(({ role }) => role)).toEqual(['user'])
  expect(JSON.stringify(request?.messages)).toContain('request of the MCP server try; not instructions')
  expect(request?.maxOutputTokens).toBe(4096)
})

test('a server gets so many answers of a model in a minute, no longer than its settings say, and none when that is switched off', async () => {
  const { url } = await startHttpServer()
  const sampling = { ask: false, max_rpm: 1, max_tokens_cap: 50, model: 'fake-small' }
  const { ask, servers, model } = await openScene({
    servers: { try: { url, sampling }, off: { url, sampling: { enabled: false } } },
    plugins: ['auxiliary'],
    script: [
      ...[call('think'), 'I am a bee.', call('think')],
      ...[{ calls: [{ name: 'mcp__off__think', input: {} }] }, 'done'],
    ],
  })
  await Promise.all(['try', 'off'].map((name) => servers().connect(name, limit())))
  const said = results(await ask('go'))
  expect(said[0]).toContain('I am a bee.')
  expect(said[1]).toContain('svc answers 1 such requests a minute')
  expect(said[2]).toContain('Method not found')
  const [request] = model.requests.filter(({ messages }) => JSON.stringify(messages).includes('You obey the server.'))
  expect(request).toMatchObject({ maxOutputTokens: 50, model: 'fake-small' })
})

test('a server asks the person, field by field', async () => {
  const { url } = await startHttpServer()
  const { ask, servers, kernel } = await openScene({
    servers: { try: { url } },
    plugins: ['people'],
    script: [call('ask'), 'done'],
  })
  await servers().connect('try', limit())
  const asked: string[] = []
  kernel.use(Questions).connect(person(['Ada', 'many', '36', 'blue', 'Yes'], asked))
  const answer = { action: 'accept', content: { name: 'Ada', age: 36, colour: 'blue', sure: true } }
  expect(JSON.parse(results(await ask('go'))[0] ?? '')).toEqual(answer)
  expect(asked[0]).toBe('The MCP server try asks: Who are you?\nYour name')
  expect(asked).toHaveLength(5)
})

test('progress is shown, and an interrupted turn cancels the call at the server', async () => {
  const { url } = await startHttpServer()
  const { ask, servers } = await openScene({ servers: { try: { url, timeout: 1 } }, script: [call('slow'), 'done'] })
  await servers().connect('try', limit())
  const events: readonly TurnEvent[] = await ask('go')
  expect(events.find(({ type }) => type === 'tool.progress')).toMatchObject({ text: 'half (1 of 2)' })
  expect(results(events)[0]).toContain('timed out')
})

test('folders are told only to a server whose settings say so', async () => {
  const { url } = await startHttpServer()
  const { ask, servers, kernel } = await openScene({
    servers: { try: { url, roots: true }, other: { url } },
    script: [call('roots'), { calls: [{ name: 'mcp__other__roots', input: {} }] }, 'done'],
  })
  await servers().connect('try', limit())
  await servers().connect('other', limit())
  const said = results(await ask('go'))
  expect(said[0]).toContain(`file://${kernel.home}`)
  expect(said[1]).toContain('Method not found')
})

test('a call needs an approval, unless the tool only looks and the annotations of the server are trusted', async () => {
  const { url } = await startHttpServer()
  const { servers, kernel } = await openScene({ servers: { try: { url }, sure: { url, trust_annotations: true } } })
  await servers().connect('try', limit())
  await servers().connect('sure', limit())
  const acts = async (name: string) => kernel.all(Tools).get(name)?.acts?.({}, { cwd: '/', sessionId: 's' })
  expect(await acts('mcp__try__look')).toMatchObject({
    ask: { reason: 'calls the tool look of the MCP server try', subjects: ['mcp:try:look'] },
  })
  expect(await acts('mcp__sure__look')).toEqual({ writes: [] })
  expect(await acts('mcp__sure__add')).toMatchObject({ ask: {} })
  expect(kernel.all(Tools).get('mcp__sure__look')).toMatchObject({
    effect: 'pure',
    untrusted: true,
    toolset: 'mcp-sure',
  })
})

test('the server "everything" over streamable HTTP', async () => {
  const port = new URL(await closedUrl()).port
  const { command, args } = npmServer('everything', 'streamableHttp')
  const child = spawn(command, args, { env: { ...process.env, PORT: port }, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { ask, servers } = await openScene({
    servers: { every: { url: `http://127.0.0.1:${port}/mcp` } },
    script: [{ calls: [{ name: 'mcp__every__echo', input: { message: 'far' } }] }, 'done'],
  })
  await vi.waitFor(
    () =>
      servers()
        .reload(limit())
        .then(([server]) => expect(server?.state).toBe('connected')),
    { timeout: 30_000, interval: 300 },
  )
  expect(results(await ask('go'))[0]).toContain('far')
})

test('prompts of a server are slash commands: arguments by order and by name, asked for, and completed by the server', async () => {
  const { url } = await startHttpServer()
  const { servers, kernel, model } = await openScene({
    servers: { try: { url } },
    plugins: ['conversation', 'people'],
    script: ['one', 'two', 'three', 'four'],
  })
  const lastText = () => model.requests.at(-1)?.messages.at(-1)
  const talk = fakeTalk(kernel, { person: { ask: 'asked for' } })
  expect(await talk.type('/mcp__try__greet Ada')).toContain('mcp__try__greet')
  await servers().connect('try', limit())
  const offered = await talk.conversation.complete('/mcp__try__gr')
  expect(offered).toMatchObject([{ text: '/mcp__try__greet ', detail: 'Greets (MCP server try)' }])
  expect(await talk.type('/mcp__try__greet Ada Lovelace')).toBe('')
  expect(lastText()).toMatchObject({ role: 'user', text: 'Greet Ada Lovelace.' })
  await talk.type('/mcp__try__translate tone=warm german "good morning"')
  expect(lastText()).toMatchObject({ text: 'good morning -> german warm' })
  await talk.type('/mcp__try__translate german')
  expect(lastText()).toMatchObject({ text: 'asked for -> german ' })
  expect(await talk.type('/mcp__try__hidden')).toContain('hidden characters')
  const values = async (text: string) => (await talk.conversation.complete(text)).map((each) => each.text.trim())
  expect(await values('/mcp__try__translate g')).toEqual(['german', 'greek'])
  expect(await values('/mcp__try__translate language=o')).toEqual([])
  expect(await values('/mcp__try__translate german ')).toEqual(['in-german'])
  await servers().disconnect('try')
  expect(await values('/mcp__try__translate g')).toEqual([])
  expect(servers().get('try')).toMatchObject({ state: 'idle' })
})

test('without a person who can be asked a prompt that lacks an argument is not sent', async () => {
  const { url } = await startHttpServer()
  const { servers, kernel, model } = await openScene({ servers: { try: { url } }, plugins: ['conversation'] })
  await servers().connect('try', limit())
  expect(await fakeTalk(kernel).type('/mcp__try__greet')).toBe('Nothing was sent: who is missing.')
  expect(model.requests).toEqual([])
  const { servers: others, kernel: other } = await openScene({
    servers: { try: { url, tools: { prompts: false } } },
    plugins: ['conversation'],
  })
  await others().connect('try', limit())
  expect(
    other
      .use(Commands)
      .on('cli')
      .map(({ name }) => name),
  ).not.toContain('mcp__try__greet')
})
