/**
 * The model server of the bench: a process of its own, no delay, answers made before they are asked for. It speaks as
 * the fake server of the tests does (test/support/model-replies.ts), but keeps only what is measured, since thousands of
 * recorded requests would slow it down. The bench talks to it over the IPC channel; it ends when that does.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { PreparedReply, type Reply } from '../support/model-replies.ts'
import { LAST_WORDS, type Report, type Scenario } from './scenario.ts'

let replies: readonly PreparedReply[] = []
let requests = 0
let firstBytes = 0
let gaps: number[] = []
let answeredAt = 0

const server = http.createServer((request, response) => {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(404).end()
    if (requests === 0) firstBytes = bytes
    else gaps.push(performance.now() - answeredAt)
    const reply = replies[requests++]
    response.writeHead(reply ? 200 : 500, { 'content-type': 'text/event-stream' })
    response.end(reply?.stream(true))
    answeredAt = performance.now()
    return response
  })
})

process.on('message', (scenario: Scenario) => {
  const report: Report = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    firstBytes,
    gaps,
  }
  play(scenario)
  process.send?.(report)
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.('listening'))

function play({ rounds, deltas }: Scenario): void {
  const calls: Reply[] = Array.from({ length: rounds }, (_, round) => ({
    calls: [{ id: `call_${round}`, name: 'terminal', arguments: { command: `echo round ${round}` } }],
  }))
  const words = Array.from({ length: deltas - 1 }, (_, index) => `word${index % 100} `)
  replies = [...calls, { text: [...words, LAST_WORDS] }].map((reply) => new PreparedReply(reply))
  for (const reply of replies) reply.stream(true)
  requests = 0
  firstBytes = 0
  gaps = []
}
