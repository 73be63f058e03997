/** A model server that gives every request the same answer of five pieces at once. Prints its port. */
import { createServer } from 'node:http'

const chunk = (fields) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, ...fields })}\n\n`
const piece = (content) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const answer = Buffer.from(
  [
    ...['All ', 'of ', 'it ', 'is ', 'here.'].map(piece),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ].join(''),
)
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
