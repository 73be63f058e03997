/** One prompt, one answer: as a plain script with `fetch`. Arguments: base URL, model, prompt. */
import { readAnswer } from './answer.mjs'

const [url, model, prompt] = process.argv.slice(2)
const response = await fetch(`${url}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: prompt }] }),
})
const { text } = await readAnswer(response.body.pipeThrough(new TextDecoderStream()))
process.stdout.write(`${text}\n`)
