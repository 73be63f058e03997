/** The least API server: fastify in front, the `openai` package behind, nothing kept. Argument: base URL. Prints its port. */
import { fastify } from 'fastify'
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none' })
const app = fastify()
app.post('/v1/chat/completions', async (request, reply) => {
  const { messages, stream: isStream } = request.body
  const stream = await client.chat.completions.create({ model: 'bench', stream: true, messages })
  if (isStream) {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    for await (const chunk of stream) reply.raw.write(`data: ${JSON.stringify(chunk)}\n\n`)
    reply.raw.end('data: [DONE]\n\n')
    return reply
  }
  let content = ''
  let usage = null
  for await (const chunk of stream) {
    content += chunk.choices[0]?.delta.content ?? ''
    usage = chunk.usage ?? usage
  }
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'bench', choices: [choice], usage }
})
await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${app.server.address().port}\n`)
