/** A home folder of its own for a program, and how it is run there: no host but loopback can be reached. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const LIMIT_MS = 120_000
/** Nobody listens there, so whatever a program wants of another host fails at once. */
const NOWHERE = 'http://127.0.0.1:9'

/** Calls the work with a new home, which holds these files, and removes it. */
export async function inHome(files, work) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** Runs a program of an installed package, in `work` of its home. Resolves with what it printed; rejects when it failed. */
export async function run(program, args, home, env) {
  const cwd = join(home, 'work')
  mkdirSync(cwd, { recursive: true })
  const child = spawn(join(import.meta.dirname, 'node_modules/.bin', program), args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      NO_PROXY: '127.0.0.1',
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      ...env,
    },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => {
    out += data
  })
  child.stderr.on('data', (data) => {
    err += data
  })
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${err.slice(-500)} ${out.slice(-500)}`)
  return out
}

/** The events of a program that prints each as a line of JSON. */
export function eventsOf(out) {
  return out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
