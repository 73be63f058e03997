/** `svc gateway start` and `restart`: the gateway in the background, and the wait until it is well. */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CliArguments, Clock, Home, type PluginContext } from 'svc/sdk'
import { isRunning } from 'svc/sdk/kit/process'
import { safeLine } from 'svc/sdk/kit/terminal'
import { platformLine } from './announcements.ts'
import { exitCodes } from './ending.ts'
import { printDoors } from './listen-addresses.ts'
import { askStatus, getGatewayFiles, isInside, type Report, runningHolder } from './running-gateway.ts'
import { ask, type Output, order } from './stop.ts'
import { programWords } from './supervised-process.ts'

const POLL_MS = 50
/** A platform may take half a minute to connect. */
const READY_MS = 60_000
/** How long a supervisor may take to restart a gateway that requested a restart. */
const OTHERS_MS = 3000

/** The environment of a process that is started. */
type Environment = Readonly<Record<string, string | undefined>>

/** `svc gateway start`. */
export async function start(
  ctx: PluginContext<undefined>,
  input: CliArguments,
  io: Output,
  environment?: Environment,
): Promise<number> {
  if (input.options['profiles'] !== undefined) return await startProfiles(ctx, String(input.options['profiles']), io)
  const known = await askStatus(ctx)
  if (known?.ending === 'stop') {
    io.err('The gateway is about to stop. Start it when it has, or say at once: svc gateway restart\n')
    return 1
  }
  if (known || runningHolder(ctx)) {
    const pid = known?.pid ?? runningHolder(ctx)?.pid
    io.out(`The gateway runs already (process ${pid}). svc gateway status tells how it is.\n`)
    return 0
  }
  if (input.options['service'] !== false) {
    const { startService } = await import('./install.ts')
    const started = await startService(ctx, io)
    if (started) return ready(ctx, io, { old: undefined, ended: afterAWhile(ctx) })
  }
  return inBackground(ctx, io, { environment })
}

/** Nothing holds the home although it was started a while ago. */
function afterAWhile(ctx: PluginContext<undefined>): () => boolean {
  const clock = ctx.use(Clock)
  const began = clock.monotonic()
  return () => clock.monotonic() - began > OTHERS_MS && !runningHolder(ctx)
}

/** `svc gateway restart`. */
export async function restart(
  ctx: PluginContext<undefined>,
  input: CliArguments,
  io: Output,
  environment?: Environment,
): Promise<number> {
  const holder = runningHolder(ctx)
  const accepted = await ask(ctx, 'restart')
  if (!accepted && !holder) return start(ctx, input, io, environment)
  const old = accepted?.pid ?? holder?.child?.pid
  if (accepted && isInside(accepted.pid)) {
    const seconds = Math.round(accepted.drainMs / 1000)
    const whom =
      accepted.supervisor === undefined ? ' It is not supervised: the program that started it has to restart it.' : ''
    io.out(
      `The gateway restarts once the answers under way are done, within ${seconds} s.${whom} This command does not wait, because the gateway waits for it.\n`,
    )
    return 0
  }
  if (!accepted && holder) order(ctx, holder, 'restart')
  io.err('The gateway restarts. Answers under way are waited for.\n')
  const isWatched = accepted ? accepted.supervisor !== undefined : holder?.child !== undefined
  const drainMs = accepted?.drainMs ?? 0
  if (isWatched)
    return ready(ctx, io, {
      old,
      ended: () => holder !== undefined && (!isRunning(holder) || !runningHolder(ctx)),
      limitMs: drainMs + READY_MS,
    })
  return afterItself(ctx, io, { limitMs: drainMs + READY_MS, environment })
}

/** No supervisor of svc; perhaps another one. */
async function afterItself(
  ctx: PluginContext<undefined>,
  io: Output,
  { limitMs, environment }: { readonly limitMs: number; readonly environment: Environment | undefined },
): Promise<number> {
  const clock = ctx.use(Clock)
  const began = clock.monotonic()
  while (runningHolder(ctx) && clock.monotonic() - began < limitMs) await clock.sleep(POLL_MS)
  const ended = clock.monotonic()
  while (!runningHolder(ctx) && clock.monotonic() - ended < OTHERS_MS) await clock.sleep(POLL_MS)
  if (runningHolder(ctx)) return ready(ctx, io, { old: undefined, ended: () => !runningHolder(ctx) })
  io.err('It was not restarted, so it now runs in the background.\n')
  return inBackground(ctx, io, { environment })
}

/** One process in the background for those that do not run. */
async function startProfiles(ctx: PluginContext<undefined>, typed: string, io: Output): Promise<number> {
  const { findProfiles } = await import('./profiles.ts')
  const all = findProfiles(ctx, typed)
  const missing = all.filter((each) => !runningHolder(each.ctx))
  for (const { name } of all.filter((each) => !missing.includes(each))) io.out(`The gateway of ${name} runs already.\n`)
  if (missing.length === 0) return 0
  const names = missing.map(({ name }) => name).join(',')
  return await inBackground(ctx, io, { words: ['--profiles', names], profiles: missing })
}

interface Background {
  readonly words?: readonly string[]
  readonly profiles?: readonly { readonly name: string; readonly ctx: PluginContext<undefined> }[]
  readonly environment?: Environment | undefined
}

async function inBackground(
  ctx: PluginContext<undefined>,
  io: Output,
  { words = [], profiles = [], environment }: Background,
): Promise<number> {
  const { log } = getGatewayFiles(ctx)
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  const from = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  const [program = '', ...args] = [...programWords(ctx.use(Home)), 'gateway', 'run', '--background', ...words]
  // Output before it has its own log is written there unchanged.
  const output = openSync(log, 'a', 0o600)
  const child = spawn(program, args, {
    detached: true,
    ...(environment && { env: environment }),
    stdio: ['ignore', output, output],
    windowsHide: true,
  })
  closeSync(output)
  let end: { readonly code: number } | undefined
  child.once('error', () => {
    end = { code: exitCodes.failed }
  })
  child.once('exit', (code) => {
    end = { code: code ?? exitCodes.failed }
  })
  child.unref()
  const codes: number[] = []
  for (const each of profiles.length > 0 ? profiles : [{ name: undefined, ctx }]) {
    if (each.name !== undefined) io.out(`${each.name}\n`)
    codes.push(await ready(each.ctx, io, { old: undefined, ended: () => end !== undefined }))
  }
  if (end === undefined) return codes.find((code) => code !== 0) ?? 0
  io.err(`${tail(log, from)}The gateway did not start. Its log: ${log}\n`)
  return end.code || exitCodes.failed
}

interface Waiting {
  /** Not this process: it is the one before. */
  readonly old: number | undefined
  readonly limitMs?: number
  ended(): boolean
}

/** Waits until it has done all it does at its start, and tells how it is. */
async function ready(ctx: PluginContext<undefined>, io: Output, waiting: Waiting): Promise<number> {
  const { old, limitMs = READY_MS, ended } = waiting
  const clock = ctx.use(Clock)
  const began = clock.monotonic()
  let report: Report | undefined
  while (clock.monotonic() - began < limitMs) {
    const answer = await askStatus(ctx)
    report = answer && answer.pid !== old ? answer : undefined
    if (report?.isReady) return healthy(io, report)
    if (ended() && !report) break
    await clock.sleep(POLL_MS)
  }
  if (report) return healthy(io, report)
  io.err('The gateway is not up. svc gateway status tells more.\n')
  return exitCodes.failed
}

function healthy(io: Output, { pid, state, platforms, doors, isReady }: Report): number {
  const still = isReady ? '' : ' Some platforms are still connecting.'
  io.out(`The gateway is ${state} (process ${pid}).${still}\n`)
  for (const platform of platforms) if (platform.state !== 'disabled') io.out(`  ${platformLine(io, platform)}\n`)
  printDoors(io, doors)
  if (doors.length === 0 && platforms.every((platform) => platform.state === 'disabled'))
    io.err('No platform is set up yet. svc gateway status tells what each one needs.\n')
  return 0
}

/** What the log says since it had that size, at most its last lines. */
function tail(file: string, from: number): string {
  const text = readFileSync(file).subarray(from).toString('utf8')
  const lines = text.split('\n').filter(Boolean).slice(-15)
  return lines.map((line) => `  ${safeLine(line)}\n`).join('')
}
