/** Stands in for Ollama in the tests: gives the scripted answers, in order. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Lines of an answer, or a whole one with its status. `cut` ends the connection after the lines. */
export interface ScriptedAnswer {
  readonly lines?: readonly object[]
  readonly status?: number
  readonly body?: string
  readonly cut?: boolean
}

export interface FakeOllama {
  readonly url: string
  /** Bodies of what was asked. */
  readonly asked: readonly Record<string, unknown>[]
  close(): Promise<void>
}

export async function fakeOllama(...answers: readonly ScriptedAnswer[]): Promise<FakeOllama> {
  const asked: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    if (request.url === '/api/tags') return response.end('{"models":[{"name":"llama3.2:1b"}]}')
    let text = ''
    for await (const part of request) text += part
    asked.push(JSON.parse(text))
    const { lines = [], status = 200, body, cut } = answers[asked.length - 1] ?? answers.at(-1) ?? {}
    response.writeHead(status)
    if (body !== undefined) return response.end(body)
    for (const line of lines) response.write(`${JSON.stringify(line)}\n`)
    return cut ? setImmediate(() => response.destroy()) : response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
