/** Runs the conformance suite for MCP servers, a program of its own, against a server that wants a key. */
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from '../repository.ts'
import { temporaryFolder } from '../temporary.ts'

const hooks = join(root, 'test/support/conformance/hooks.mjs')
const program = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** The exit code and what it printed. */
export async function runConformance(url: string) {
  const args = ['--import', hooks, program, 'server', '--suite', 'all', '--url', url]
  const child = spawn(process.execPath, args, { cwd: temporaryFolder(), env: { PATH: process.env['PATH'] ?? '' } })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      out += part.toString()
    })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, out }
}

/** Adds the key, which the suite does not send. Everything else passes as it is, the names of host and origin too. */
export async function startProxy(key: string) {
  let target = ''
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` }
    const sent = request(target, { method: asked.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      answer.flushHeaders()
      response.pipe(answer)
    })
    sent.on('error', () => answer.destroy())
    answer.on('close', () => sent.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://localhost:${port}`,
    /** Where requests go from now on. */
    lead: (url: string) => {
      target = url
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
