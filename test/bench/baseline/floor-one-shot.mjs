/** One prompt, one answer: the least a Node program can do. Arguments: base URL, model, prompt. */
import http from 'node:http'
import { readAnswer } from './answer.mjs'

const [url, model, prompt] = process.argv.slice(2)
const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: prompt }] })
const options = { method: 'POST', headers: { 'content-type': 'application/json' } }
http
  .request(`${url}/chat/completions`, options, async (response) => {
    const { text } = await readAnswer(response.setEncoding('utf8'))
    process.stdout.write(`${text}\n`)
  })
  .end(body)
