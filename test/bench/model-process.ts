/**
 * The model server of the bench: a process of its own, no delay, answers made before they are asked for. It speaks as
 * the fake server of the tests does (test/support/model-replies.ts), but keeps only what is measured, since thousands of
 * recorded requests would slow it down. The bench talks to it over the IPC channel; it ends when that does.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { PreparedReply, type Reply } from '../support/model-replies.ts'

/** What it plays next. Sent by the bench; answered with a `Report` of what it played before. */
export interface Scenario {
  /** Rounds of one call of the tool `terminal` each, before the answer. */
  readonly rounds: number
  /** Deltas of the answer. */
  readonly deltas: number
}

/** What a client did. */
export interface Report {
  readonly url: string
  readonly requests: number
  /** Bytes of the first request's body. */
  readonly firstBytes: number
  /** Milliseconds between each answer and the request that followed it. */
  readonly gaps: readonly number[]
}

/** The answer ends with this, so that it can be seen to have arrived. */
export const LAST_WORDS = 'that is all.'

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
    response.end(reply?.stream(false))
    answeredAt = performance.now()
    return response
  })
})

process.on('message', (scenario: Scenario) => {
  const report: Report = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, firstBytes, gaps }
  play(scenario)
  process.send?.(report)
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.('listening'))

function play({ rounds, deltas }: Scenario): void {
  const calls: Reply[] = Array.from({ length: rounds }, (_, round) => ({
    calls: [{ id: `call_${round}`, name: 'terminal', arguments: { command: `echo round ${round}` } }],
  }))
  replies = [...calls, { deltas: deltas - 1, text: [] }].map((reply) => new PreparedReply(reply))
  for (const reply of replies) reply.stream(false)
  requests = 0
  firstBytes = 0
  gaps = []
}
