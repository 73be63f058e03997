/** One prompt, one answer: through the `openai` package. Arguments: base URL, model, prompt. */
import OpenAI from 'openai'

const [url, model, prompt] = process.argv.slice(2)
const client = new OpenAI({ baseURL: url, apiKey: 'none' })
const stream = await client.chat.completions.create({
  model,
  stream: true,
  messages: [{ role: 'user', content: prompt }],
})
let text = ''
for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
process.stdout.write(`${text}\n`)
