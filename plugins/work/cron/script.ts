/** The program of a job, which runs before the model or in its place. */
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, join, sep } from 'node:path'
import { type Clock, SvcError } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'

export interface ScriptPlan {
  /** The only folder that programs are taken from. */
  readonly folder: string
  readonly script: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly clock: Pick<Clock, 'after'>
  readonly signal: AbortSignal
}

const MAX_OUTPUT = 1_048_576
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What it wrote. Throws `CRON_SCRIPT` when it is not there, failed, wrote too much or took too long. */
export async function runScript(plan: ScriptPlan): Promise<string> {
  const file = findScript(plan.folder, plan.script)
  const fail = (why: string) => new SvcError('CRON_SCRIPT', `The script ${plan.script} ${why}.`)
  if (file === undefined) throw fail(`is not in ${plan.folder}`)
  return new Promise((resolve, reject) => {
    const [program, ...args] = planLaunch(file)
    // A group of its own: what it started ends with it.
    const child = spawn(program, args, {
      cwd: plan.cwd,
      env: { HOME: homedir(), PATH, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    let [output, errors, size] = ['', '', 0]
    let reason: string | undefined
    const end = (why: string) => {
      reason ??= why
      killGroup(child.pid, 'SIGKILL')
    }
    const cancel = plan.clock.after(plan.timeoutMs, () =>
      end(`took longer than ${Math.round(plan.timeoutMs / 1000)} s`),
    )
    const stop = () => end('was interrupted')
    plan.signal.addEventListener('abort', stop, { once: true })
    if (plan.signal.aborted) stop()
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      size += part.length
      if (size > MAX_OUTPUT) end('wrote more than 1 MiB')
      else output += part
    })
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      errors = (errors + part).slice(-2000)
    })
    const settle = (code: number | null, signal: string | null, problem?: string) => {
      cancel()
      plan.signal.removeEventListener('abort', stop)
      const why = reason ?? problem
      if (why !== undefined) return reject(fail(why))
      if (code === 0) return resolve(output)
      const last = errors.trim().split('\n').at(-1) ?? ''
      reject(fail(`ended with ${code ?? signal}${last && `: ${last.slice(0, 300)}`}`))
    }
    child.on('error', ({ message }) => settle(null, null, `cannot be started: ${message}`))
    child.on('close', (code, signal) => settle(code, signal))
  })
}

function planLaunch(file: string): [string, ...string[]] {
  switch (extname(file).toLowerCase()) {
    case '.sh':
    case '.bash':
      return ['bash', file]
    case '.py':
      return ['python3', file]
    case '.js':
    case '.mjs':
    case '.cjs':
      return [process.execPath, file]
    default:
      return [file]
  }
}

/** Links may not lead out of the folder. */
function findScript(folder: string, script: string): string | undefined {
  try {
    const [inside, file] = [realpathSync(folder), realpathSync(join(folder, script))]
    return file.startsWith(inside + sep) ? file : undefined
  } catch {
    return undefined
  }
}

/** Nothing was written, or its last line is `{"wakeAgent": false}`. */
export function saysNothingToDo(output: string): boolean {
  const last = output.trim().split('\n').at(-1)?.trim() ?? ''
  return last === '' || /^\{\s*"wakeAgent"\s*:\s*false\s*\}$/.test(last)
}
