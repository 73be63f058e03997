/**
 * The model server of the bench: its own process, no delay, answers made before they are asked for. It speaks as
 * the fake server of the tests does (test/support/model-replies.ts), but keeps only what is measured, since thousands of
 * recorded requests would slow it down. The bench talks to it over the IPC channel; it ends when that does.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { PreparedReply, type Reply } from '../support/model-replies.ts'
import { LAST_WORDS, type Report, type Scenario } from './scenario.ts'

const PULSE_MS = 10

let pace: number | undefined
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
    answer(response, reply?.stream(true) ?? Buffer.of())
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

/** At once, or as fast as `pace` says: what is due is written every few milliseconds, as it comes from a network. */
function answer(response: http.ServerResponse, bytes: Buffer): void {
  const speed = pace
  if (speed === undefined) {
    response.end(bytes)
    answeredAt = performance.now()
    return
  }
  const events = bytes.toString().split(/(?<=\n\n)/)
  const started = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - started) * speed) / 1000)
    response.write(events.slice(sent, due).join(''))
    sent = due
    if (sent >= events.length) response.end()
    if (sent >= events.length || response.destroyed) clearInterval(timer)
  }, PULSE_MS)
}

function play({ rounds, deltas, pace: speed }: Scenario): void {
  const calls: Reply[] = Array.from({ length: rounds }, (_, round) => ({
    calls: [{ id: `call_${round}`, name: 'terminal', arguments: { command: `echo round ${round}` } }],
  }))
  const words = Array.from({ length: deltas - 1 }, (_, index) => `word${index % 100} `)
  replies = [...calls, { text: [...words, LAST_WORDS] }].map((reply) => new PreparedReply(reply))
  for (const reply of replies) reply.stream(true)
  pace = speed
  requests = 0
  firstBytes = 0
  gaps = []
}
