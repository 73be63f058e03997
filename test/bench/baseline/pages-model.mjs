/**
 * A model server. What is asked to be told at length is answered in pieces at a pace, each of which says when it was sent; all else
 * at once. Arguments: seconds of a long answer, and its pieces in a second. Prints its port.
 */
import { createServer } from 'node:http'

const [seconds, pace] = process.argv.slice(2).map(Number)
const chunk = (fields) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, ...fields })}\n\n`
const piece = (content) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const end = [
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
  'data: [DONE]\n\n',
].join('')
const answer = Buffer.from(['All ', 'of ', 'it ', 'is ', 'here.'].map(piece).join('') + end)

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text) => {
    body += text
  })
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (body.includes('at length')) void tell(response)
    else response.end(answer)
  })
})

async function tell(response) {
  for (let count = 0; count < seconds * pace && !response.destroyed; count++) {
    response.write(piece(`@${(performance.timeOrigin + performance.now()).toFixed(2)} word `))
    await new Promise((resolve) => setTimeout(resolve, 1000 / pace))
  }
  response.end(end)
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
