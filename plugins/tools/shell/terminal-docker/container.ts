/** One container: started, used, ended. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { type Clock, errorMessage, logFault, SvcError } from 'svc/sdk'
import { backoff, waitAtMost } from 'svc/sdk/kit/async'
import type { ShellContext, ShellEnvironment } from 'svc/sdk/shell'
import { execArguments, READY, runArguments } from './arguments.ts'
import type { ContainerDeps } from './backend.ts'
import { listVolumes, removeUnused } from './volumes.ts'

const STATUS_MS = 10_000
/** An image may have to be fetched first. */
const START_MS = 600_000
const STOP_MS = 10_000
const MAX_SAID = 2000
/** Without a program in it. */
const IDLE_MS = 30 * 60_000
const START_RETRIES = 2
const RETRY = { firstMs: 1000, maxMs: 10_000 }
/** What engines and registries say of faults that pass. */
const PASSING =
  /timed? ?out|temporar|TLS handshake|connection (reset|refused)|unexpected EOF|too many requests|service unavailable|bad gateway|already in use|resource busy/i

/** What is opened, with what. */
export interface ContainerRequest {
  readonly program: 'docker' | 'podman'
  readonly place: ShellContext
  readonly host: ContainerDeps
}

/** Whether the program is there and its service answers. */
export async function containerStatus(
  program: string,
  { environment: env, cwd }: ShellContext,
): Promise<{ ready: boolean; detail: string }> {
  try {
    await promisify(execFile)(program, ['version'], { env: { ...env }, cwd, timeout: STATUS_MS })
    return { ready: true, detail: `${program} answers` }
  } catch (error) {
    const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string }
    const detail = code === 'ENOENT' ? `${program} is not installed` : `${program} does not answer: ${stderr.trim()}`
    return { ready: false, detail }
  }
}

/**
 * Opens the container of a session. Throws `TERMINAL_CONTAINER_MISSING` or `TERMINAL_CONTAINER_FAILED`. One whose files outlive
 * it ends when nothing has run in it for a while; the next program starts another.
 */
export async function openContainer(request: ContainerRequest, signal: AbortSignal): Promise<ShellEnvironment> {
  const { program, place, host } = request
  let current: Promise<Container> | undefined = startPatiently(request, signal)
  await current
  let running = 0
  let cancelIdle: (() => void) | undefined
  const rest = () => {
    if (!place.settings.container_persistent || running > 0) return
    cancelIdle = host.clock().after(IDLE_MS, endIdle, { background: true })
  }
  const endIdle = () => {
    const idle = current
    current = undefined
    idle?.then(end).catch((error: unknown) => logFault(host.log, 'an idle container could not be ended', error))
  }
  rest()
  removeUnused(request).catch((error: unknown) => logFault(host.log, 'unused volumes could not be removed', error))
  return {
    elsewhere: true,
    label: place.settings.docker_mount_cwd_to_workspace ? place.cwd : `session ${place.sessionId}`,
    launch: async ({ command, pty }) => {
      cancelIdle?.()
      running++
      current ??= startPatiently(request, signal)
      const { name } = await current.catch((error: unknown) => {
        running--
        current = undefined
        throw error
      })
      let isOver = false
      return {
        command: [program, ...execArguments(name, command, pty)],
        environment: place.environment,
        cwd: place.cwd,
        close: async () => {
          if (isOver) return
          isOver = true
          running--
          rest()
        },
      }
    },
    async close() {
      cancelIdle?.()
      const last = await current?.catch(() => undefined)
      if (last) await end(last)
    },
  }
}

/** Passing failures of the engine or of the network that an image is fetched over are tried again. */
async function startPatiently(request: ContainerRequest, signal: AbortSignal): Promise<Container> {
  for (let failures = 1; ; failures++) {
    try {
      return await start(request, signal)
    } catch (error) {
      if (failures > START_RETRIES || !PASSING.test(errorMessage(error)) || signal.aborted) throw error
      logFault(request.host.log, 'a container did not start; trying again', error)
      await request.host.clock().sleep(backoff(RETRY, failures), signal)
    }
  }
}

async function start(request: ContainerRequest, signal: AbortSignal): Promise<Container> {
  const { program, place, host } = request
  const name = `svc-${host.random().hex(6)}`
  const environment = { ...place.environment }
  const forwarded: string[] = []
  for (const variable of place.settings.docker_forward_env) {
    const value = host.variable(variable)
    if (value === undefined) continue
    environment[variable] = value
    forwarded.push(variable)
  }
  const volumes = await listVolumes(request)
  const child = spawn(program, runArguments(name, place, { forwarded, volumes }), {
    ...{ cwd: place.cwd, env: environment, stdio: 'pipe' },
    // Ctrl-C in the user's terminal is for the turn, not for the container.
    detached: true,
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const container = { child, exited, name, request }
  await startContainer(container, signal)
  return container
}

interface Container {
  readonly child: ChildProcess
  readonly exited: Promise<void>
  readonly name: string
  readonly request: ContainerRequest
}

async function startContainer(container: Container, signal: AbortSignal): Promise<void> {
  const { child, exited, request } = container
  let said = ''
  let problem: NodeJS.ErrnoException | undefined
  const ready = new Promise<'ready'>((resolve) => {
    let out = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out = (out + text).slice(-MAX_SAID)
      if (out.includes(READY)) resolve('ready')
    })
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_SAID)
  })
  child.on('error', (error) => {
    problem = error
  })
  // The end of the container is noticed by its exit.
  child.stdin?.on('error', () => undefined)
  const outcome = await Promise.race([ready, exited.then(() => 'ended'), waitForTimeout(request.host.clock(), signal)])
  if (outcome === 'ready') return
  await end(container)
  throw failure(request, outcome, problem, said.trim())
}

async function waitForTimeout(clock: Clock, signal: AbortSignal): Promise<string> {
  return clock.sleep(START_MS, signal).then(
    () => `it took longer than ${START_MS / 1000} s`,
    () => 'it was stopped',
  )
}

function failure(request: ContainerRequest, outcome: string, problem: NodeJS.ErrnoException | undefined, said: string) {
  const { program, place } = request
  if (problem?.code === 'ENOENT') {
    const hint = `Install it, or set terminal.backend to something else`
    return new SvcError('TERMINAL_CONTAINER_MISSING', `${program} is not installed or not on the PATH. ${hint}.`)
  }
  const reason = problem?.message ?? (said === '' ? outcome : said)
  const image = place.settings.docker_image
  const message = `${program} could not start a container of the image ${image}: ${reason}`
  return new SvcError('TERMINAL_CONTAINER_FAILED', message, { cause: problem })
}

/** Its first process ends with its input. A container that does not listen is removed by name. */
async function end({ child, exited, name, request }: Container): Promise<void> {
  const { program, place, host } = request
  child.stdin?.end()
  if (child.pid === undefined) return
  await waitAtMost(host.clock(), STOP_MS, exited)
  if (child.exitCode !== null || child.signalCode !== null) return
  const { environment: env, cwd } = place
  // It may be gone by now, which is all that is wanted.
  await promisify(execFile)(program, ['rm', '-f', name], { env: { ...env }, cwd, timeout: STOP_MS }).catch(
    () => undefined,
  )
  child.kill('SIGKILL')
  await exited
}
