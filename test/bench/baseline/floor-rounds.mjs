/** A turn with tools: the least a Node program can do, with one shell kept alive. Arguments: base URL, model, prompt. */
import { spawn } from 'node:child_process'
import http from 'node:http'
import { readAnswer } from './answer.mjs'
import { converse, tools } from './rounds.mjs'

const [url, model, prompt] = process.argv.slice(2)
const END = '\u0001end\n'
const shell = spawn('sh', { stdio: ['pipe', 'pipe', 'inherit'] })
shell.stdout.setEncoding('utf8')
process.stdout.write(`${await converse(prompt, ask, runCommand)}\n`)
shell.stdin.end()

function ask(messages) {
  const options = { method: 'POST', headers: { 'content-type': 'application/json' } }
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/chat/completions`, options, (response) => {
      readAnswer(response.setEncoding('utf8')).then(resolve, reject)
    })
    request.on('error', reject).end(JSON.stringify({ model, stream: true, tools, messages }))
  })
}

function runCommand(command) {
  return new Promise((resolve) => {
    let output = ''
    const read = (text) => {
      output += text
      if (!output.endsWith(END)) return
      shell.stdout.off('data', read)
      resolve(output.slice(0, -END.length))
    }
    shell.stdout.on('data', read)
    shell.stdin.write(`${command}\nprintf '\\001end\\n'\n`)
  })
}
