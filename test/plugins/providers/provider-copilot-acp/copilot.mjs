/**
 * Stands in for Copilot CLI: a program that speaks the Agent Client Protocol (https://agentclientprotocol.com/protocol/v1/overview) with
 * the protocol's own library, which checks each message against its schema. `node copilot.mjs FOLDER --acp --stdio` plays
 * FOLDER/script.json and adds what it is asked to FOLDER/log.jsonl.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk'

const [, , folder, ...words] = process.argv
const script = JSON.parse(readFileSync(join(folder, 'script.json'), 'utf8'))
const log = (entry) => appendFileSync(join(folder, 'log.jsonl'), `${JSON.stringify(entry)}\n`)
const isSignedIn = () => script.signedIn !== false || existsSync(join(folder, 'signed-in'))

log({ words, cwd: readdirSync(process.cwd()), env: Object.keys(process.env).sort() })
if (script.dies) {
  process.stderr.write(`${script.dies}\n`)
  process.exit(3)
}

async function tellAll(tell, kind, texts = []) {
  for (const text of texts) await tell(kind, text)
}

/** One that hangs ends when it is told to. */
async function end({ hangs, stop = 'end_turn', usage }, session) {
  if (!hangs) return { stopReason: stop, ...(usage && { usage }) }
  await new Promise((resolve) => {
    session.cancel = resolve
  })
  return { stopReason: 'cancelled' }
}

function crash() {
  process.stderr.write('out of memory, token gho_canary0123456789abcdefghij\n')
  process.exit(1)
}

/** Asks for what a client may refuse: a command, and a file. */
async function tryOwnTools(client, sessionId, permission) {
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ].filter(({ kind }) => permission !== 'only-yes' || kind === 'allow_once')
  const toolCall = { toolCallId: 'own-1', title: 'rm -rf /', kind: 'execute', status: 'pending' }
  const { outcome } = await client.request(methods.client.session.requestPermission, { sessionId, toolCall, options })
  log({ method: 'permission', outcome })
  const asked = await client
    .request(methods.client.fs.readTextFile, { sessionId, path: '/etc/hostname' })
    .catch((error) => ({ refused: error.code }))
  log({ method: 'read', asked })
}

function serve(input, output) {
  const sessions = new Map()
  let opened = 0
  let isInitialized = false
  const ready = () => {
    if (!isInitialized) throw RequestError.invalidRequest(undefined, 'initialize comes first')
  }
  const find = (id) => {
    ready()
    const session = sessions.get(id)
    if (!session) throw RequestError.invalidParams(undefined, `there is no session ${id}`)
    return session
  }
  const app = agent({ name: 'copilot' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      isInitialized = true
      log({ method: 'initialize', params })
      return {
        protocolVersion: script.version ?? 1,
        agentCapabilities: { promptCapabilities: { image: true }, sessionCapabilities: { close: {} } },
        authMethods: [{ id: 'copilot-login', name: 'Log in with Copilot CLI', description: 'Run `copilot login`' }],
      }
    })
    .onRequest(methods.agent.session.new, ({ params }) => {
      ready()
      if (!isSignedIn()) throw RequestError.authRequired()
      const sessionId = `session-${++opened}`
      sessions.set(sessionId, { cancel: () => {} })
      log({ method: 'session/new', params })
      const list = (script.models ?? []).map((value) => ({ value, name: `Model ${value}` }))
      const option = {
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: list[0]?.value,
        options: list,
      }
      return { sessionId, ...(list.length > 0 && { configOptions: [option] }) }
    })
    .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
      find(params.sessionId)
      if (!script.models?.includes(params.value)) throw RequestError.invalidParams(undefined, 'unknown value')
      log({ method: 'session/set_config_option', params })
      return { configOptions: [] }
    })
    .onRequest(methods.agent.session.close, ({ params }) => {
      find(params.sessionId)
      sessions.delete(params.sessionId)
      log({ method: 'session/close', params })
      return {}
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      log({ method: 'session/cancel', params })
      sessions.get(params.sessionId)?.cancel()
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const { sessionId } = params
      const session = find(sessionId)
      log({ method: 'session/prompt', params })
      const reply = script.replies.length > 1 ? script.replies.shift() : script.replies[0]
      const tell = (sessionUpdate, text) =>
        client.notify(methods.client.session.update, {
          sessionId,
          update: { sessionUpdate, content: { type: 'text', text } },
        })
      if (reply.error) throw new RequestError(reply.error, 'it did not work')
      await tellAll(tell, 'agent_thought_chunk', reply.thoughts)
      if (reply.permission) await tryOwnTools(client, sessionId, reply.permission)
      if (reply.garbage) output.write('this is no message\n')
      await tellAll(tell, 'agent_message_chunk', reply.chunks)
      if (reply.exit) crash()
      return end(reply, session)
    })
  return app.connect(ndJsonStream(Writable.toWeb(output), Readable.toWeb(input)))
}

const port = words.indexOf('--port')
if (port < 0) {
  const connection = serve(process.stdin, process.stdout)
  void connection.closed.then(() => process.exit(0))
} else {
  const server = createServer((socket) => void serve(socket, socket))
  server.listen(Number(words[port + 1]), '127.0.0.1', () => log({ port: server.address().port }))
}
