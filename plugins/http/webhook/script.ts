/** The program of a route: it is given the payload and may change it, or say that nothing is to be done. */
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type Clock, type Logger, tryParseJson } from 'svc/sdk'

export interface ScriptPlan {
  /** The only folder that programs are taken from. */
  readonly folder: string
  readonly script: string
  readonly payload: unknown
  readonly timeoutMs: number
  readonly clock: Clock
  readonly log: Logger
}

const MAX_OUTPUT = 1_048_576
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The payload from now on; undefined when the event is to be ignored: the program said so, failed or took too long. */
export async function runRouteScript(plan: ScriptPlan): Promise<{ readonly payload: unknown } | undefined> {
  const output = (await run(plan)).trim()
  if (output === '' || output === '[SILENT]') return undefined
  const given = parseObject(output)
  if (given !== undefined) return { payload: given }
  const before =
    typeof plan.payload === 'object' && !Array.isArray(plan.payload) ? plan.payload : { payload: plan.payload }
  return { payload: { ...before, script_output: output } }
}

/** What it wrote; empty when it failed. */
async function run({ folder, script, payload, timeoutMs, clock, log }: ScriptPlan): Promise<string> {
  const fail = (why: string) => {
    log.warn('the script of a webhook route failed; the event is ignored', { script, why })
    return ''
  }
  const file = resolveScript(folder, script)
  if (file === undefined) return fail('there is no such file in the folder scripts')
  const { promise, resolve } = withResolvers()
  const child = spawn(file, [], { cwd: folder, env: { PATH, LANG: 'C.UTF-8' }, stdio: ['pipe', 'pipe', 'ignore'] })
  const parts: Buffer[] = []
  let size = 0
  const cancel = clock.after(timeoutMs, () => end('it took too long'))
  const end = (why: string) => {
    child.kill('SIGKILL')
    resolve(fail(why))
  }
  child.stdout.on('data', (part: Buffer) => {
    size += part.length
    if (size > MAX_OUTPUT) end('it wrote more than 1 MiB')
    else parts.push(part)
  })
  child.stdin.on('error', () => undefined)
  child.on('error', (error) => resolve(fail(error.message)))
  child.on('close', (code) =>
    resolve(code === 0 ? Buffer.concat(parts).toString('utf8') : fail(`it ended with ${code}`)),
  )
  child.stdin.end(JSON.stringify(payload))
  return promise.finally(cancel)
}

function withResolvers(): { promise: Promise<string>; resolve: (text: string) => void } {
  let resolve: (text: string) => void = () => undefined
  const promise = new Promise<string>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Links may not lead out of the folder. */
function resolveScript(folder: string, script: string): string | undefined {
  try {
    const [inside, file] = [realpathSync(folder), realpathSync(join(folder, script))]
    return file.startsWith(inside + sep) ? file : undefined
  } catch {
    return undefined
  }
}

/** An object of JSON; undefined for any other text. */
function parseObject(text: string): object | undefined {
  const value = tryParseJson(text)?.value
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}
