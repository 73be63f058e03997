/**
 * Speaks the protocol of the control socket with nothing but Node. argv: home, method, params as JSON, how it proves itself:
 * `well`; `silent`: holds nothing; `reader`: has the file open but did not write it; `twice`: a child holds it too;
 * `other`: writes the proof of another request.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { openSync, readdirSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [home, method, params, how = 'well'] = process.argv.slice(2)
const folder = join(home, 'run')
const [name] = readdirSync(folder).filter((each) => each.endsWith('.sock'))
const socket = connect(join(folder, name))
const line = JSON.stringify({ id: 1, pid: 1, method, params: JSON.parse(params) })
const children = []
socket.write(`${line}\n`)
for await (const answer of createInterface({ input: socket })) {
  const { prove } = JSON.parse(answer)
  if (!prove) {
    console.log(answer)
    break
  }
  const path = join(folder, prove.file)
  const about = how === 'other' ? line.replace(method, 'another') : line
  const proof = createHash('sha256').update(`${prove.nonce}\n${about}`).digest('hex')
  if (how === 'silent') writeFileSync(path, proof)
  else if (how === 'reader') {
    writeFileSync(path, proof)
    openSync(path, 'r')
  } else {
    const descriptor = openSync(path, 'r+')
    writeSync(descriptor, proof)
    if (how === 'twice') children.push(spawn('sleep', ['30'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] }))
  }
  socket.write('{}\n')
}
for (const child of children) child.kill()
socket.destroy()
