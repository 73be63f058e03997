/** A turn with tools: as a plain script with `fetch` and a shell spawned per command. Arguments: base URL, model, prompt. */
import { spawn } from 'node:child_process'
import { readAnswer } from './answer.mjs'
import { converse, tools } from './rounds.mjs'

const [url, model, prompt] = process.argv.slice(2)
process.stdout.write(`${await converse(prompt, ask, runCommand)}\n`)

async function ask(messages) {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, tools, messages }),
  })
  return readAnswer(response.body.pipeThrough(new TextDecoderStream()))
}

function runCommand(command) {
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    shell.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    shell.on('error', reject).on('close', () => resolve(output))
  })
}
