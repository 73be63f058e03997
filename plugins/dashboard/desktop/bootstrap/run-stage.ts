/** `svc desktop stage`: runs one stage in this process; its last line is the result. */
import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import {
  type CliArguments,
  type CliContext,
  Clock,
  errorMessage,
  Home,
  logFault,
  type PluginContext,
  SvcError,
} from 'svc/sdk'
import { findOwnProgram } from '../own-program.ts'
import type { StageDeps } from './stage-deps.ts'
import { STAGE_WORK } from './stage-work.ts'
import { MANIFEST, type StageName, type StageResult } from './stages.ts'

/** The stages, for people or as the JSON that a launcher reads. */
export function listStages(io: CliContext, isJson: boolean): void {
  if (isJson) io.out(`${JSON.stringify(MANIFEST)}\n`)
  for (const { name, title, category, needs_user_input: needsInput } of isJson ? [] : MANIFEST.stages)
    io.out(`${name.padEnd(18)} ${category.padEnd(13)} ${title}${needsInput ? ' (asks a person)' : ''}\n`)
}

/** The exit code: 0 done or skipped, 1 failed, 2 no such stage. */
export async function runStage(
  ctx: PluginContext<unknown>,
  { args, options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const name = args[0] ?? ''
  const work = Object.hasOwn(STAGE_WORK, name) ? STAGE_WORK[name as StageName] : undefined
  if (!work) {
    io.err(`There is no stage "${name}". svc desktop stages lists them.\n`)
    return 2
  }
  const clock = ctx.use(Clock)
  const startedAt = clock.monotonic()
  const tell = (outcome: Pick<StageResult, 'ok' | 'skipped' | 'reason'>) => {
    const duration = Math.round(clock.monotonic() - startedAt)
    if (options['json'] === true) io.out(`${JSON.stringify({ stage: name, ...outcome, duration_ms: duration })}\n`)
    else if (outcome.reason) io.out(`${outcome.reason}\n`)
    return outcome.ok ? 0 : 1
  }
  const isInteractive = io.interactive && options['json'] !== true && options['nonInteractive'] !== true
  try {
    const done = await work(stageDeps(ctx, io, isInteractive))
    return tell({ ok: true, skipped: done !== undefined, reason: done?.skipped ?? null })
  } catch (error) {
    logFault(ctx.log, `the stage ${name} failed`, error)
    return tell({ ok: false, skipped: false, reason: errorMessage(error) })
  }
}

function stageDeps(ctx: PluginContext<unknown>, io: CliContext, isInteractive: boolean): StageDeps {
  const own = findOwnProgram()
  const home = ctx.use(Home).root
  const environment = { ...process.env, SVC_HOME: home }
  return {
    clock: ctx.use(Clock),
    home,
    environment,
    userFolder: homedir(),
    root: own.root,
    program: own.command,
    isInteractive,
    signal: io.signal,
    log: (line) => io.err(`${line}\n`),
    converse: (words) => converse([...own.command, ...words], environment),
  }
}

/** Gives the terminal to a command. */
function converse([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(file, args, { env, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => resolve(code ?? 1))
    child.once('error', (cause) => reject(new SvcError('DESKTOP_STAGE', errorMessage(cause), { cause })))
  })
}
