/** Tells the system of `svc://` links, and takes that back. */
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CliContext, Clock, Home, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import type { UninstallItem } from 'svc/sdk/operations'
import { AGENT_FOLDER } from './bootstrap/files.ts'
import { runProgram } from './child-program.ts'
import { planRegistration, planRemoval, type SchemePlan, type SchemeSystem } from './link-plan.ts'
import { findOwnProgram } from './own-program.ts'

type Context = PluginContext<undefined>

const STEP_MS = 30_000

/** `svc desktop register`. */
export async function register(ctx: Context, io: CliContext): Promise<number> {
  const plan = requirePlan(planRegistration(readSystem(ctx)))
  for (const { path, text } of plan.files) {
    await mkdir(dirname(path), { recursive: true })
    await writeAtomically(path, text, { mode: 0o644 })
  }
  // One of an earlier version is replaced.
  for (const folder of plan.folders) await rm(folder, { recursive: true, force: true })
  await runAll(ctx, plan)
  io.out('svc:// links open the desktop of svc. To take it back: svc desktop unregister\n')
  return 0
}

/** `svc desktop unregister`. */
export async function unregister(ctx: Context, io: CliContext): Promise<number> {
  await removeAll(ctx, requirePlan(planRemoval(readSystem(ctx))))
  io.out('svc:// links are not opened with svc any more.\n')
  return 0
}

/** For `svc uninstall`. */
export async function findRegistration(ctx: Context): Promise<readonly UninstallItem[]> {
  const plan = planRemoval(readSystem(ctx))
  if (!plan) return []
  const there = [...plan.files.map(({ path }) => path), ...plan.folders].filter((path) => existsSync(path))
  const isThere = there.length > 0 || (process.platform === 'win32' && (await isInRegistry(ctx)))
  if (!isThere) return []
  const text = `Take back that svc:// links open svc${there.length > 0 ? `: ${there.join(', ')}` : ''}`
  return [{ text, remove: () => removeAll(ctx, plan) }]
}

function readSystem(ctx: Context): SchemeSystem {
  const secrets = ctx.use(Secrets)
  const userFolder = secrets.get('HOME') ?? homedir()
  // What the first start has made stays where it is when an update moves the program.
  const launcher = join(ctx.use(Home).dir, AGENT_FOLDER, 'bin', process.platform === 'win32' ? 'svc.cmd' : 'svc')
  const program = existsSync(launcher) ? [launcher] : findOwnProgram().command
  // Not of the home: the system looks for it there, too.
  const { XDG_DATA_HOME: dataFolder } = process.env
  return { platform: process.platform, userFolder, program, dataFolder }
}

function requirePlan(plan: SchemePlan | undefined): SchemePlan {
  if (plan) return plan
  throw new SvcError('DESKTOP_SCHEME', `svc cannot tell this system (${process.platform}) of svc:// links.`)
}

async function removeAll(ctx: Context, plan: SchemePlan): Promise<void> {
  for (const path of [...plan.files.map((file) => file.path), ...plan.folders])
    await rm(path, { recursive: true, force: true })
  await runAll(ctx, plan)
}

/** Throws `DESKTOP_SCHEME` for one that is needed and fails. */
async function runAll(ctx: Context, { commands }: SchemePlan): Promise<void> {
  for (const { words, isOptional } of commands) {
    const end = await ask(ctx, words)
    if (end.code === 0 || isOptional) continue
    const tail = end.lines.slice(-3).join(' | ')
    const message = `The system was not told of svc:// links: ${words[0]} ${end.problem ?? `ended with exit ${end.code}`}${tail ? `: ${tail}` : ''}`
    throw new SvcError('DESKTOP_SCHEME', message)
  }
}

function ask(ctx: Context, words: readonly string[]) {
  return runProgram(words, { environment: process.env, clock: ctx.use(Clock), timeoutMs: STEP_MS })
}

async function isInRegistry(ctx: Context): Promise<boolean> {
  return (await ask(ctx, ['reg', 'query', 'HKCU\\Software\\Classes\\svc'])).code === 0
}
