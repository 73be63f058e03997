/** Runs one shell command: boots, loads the plugin that owns it, runs it, and stops. */
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { hideEnvironment } from '../home/hidden-environment.ts'
import { locateHome } from '../home/home-folder.ts'
import { secretVariables } from '../home/secrets.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Owner } from '../kernel/owner.ts'
import { declaredSecrets } from '../loader/plugin-catalogue.ts'
import type { CliContext } from '../sdk/cli.ts'
import { logFault } from '../sdk/faults.ts'
import type { RuntimeOptions } from '../sdk/runtime.ts'
import { type Booted, type BootOptions, boot } from './boot.ts'
import { failure } from './cli.ts'
import { type Interruption, onSignals, onStrayErrors } from './crash.ts'
import { Handles } from './handles.ts'
import { lockIntrinsics } from './intrinsics.ts'
import { processIo } from './io.ts'
import { endSoon } from './linger.ts'
import { holdOutput } from './output.ts'
import { runLoaded, type Typed } from './run-loaded.ts'
import { beginBriefly } from './v8-settings.ts'

beginBriefly()
// Node 22 and later keep what they compiled; load.ts does it for the program itself.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => void }
enableCompileCache?.(fileURLToPath(new URL('../compiled', import.meta.url)))

/** The whole life of `svc <command>`. Returns the exit code. */
export async function run(typed: Typed, options: BootOptions): Promise<number> {
  // A command that the agent runs looks at this home, whichever profile is the active one.
  process.env['SVC_PROFILE'] = options.profile ?? 'default'
  process.env['SVC_PROFILE_OF'] = locateHome(options.env, options.profile).root
  const interruption = onSignals()
  const output = holdOutput()
  const io = processIo(options.env, interruption, output)
  const handles = new Handles()
  const beforeForeign = (isFollowed: boolean) => {
    lockIntrinsics()
    // So that what keeps the process alive after its command has a name.
    if (isFollowed) handles.start()
  }
  const onTimer = (owner: Owner, timer: NodeJS.Timeout) => handles.note(owner, timer)
  const surroundings = { io, interruption, output, options: { beforeForeign, onTimer, ...options } }
  try {
    const code = await attempt(typed, surroundings, 'first')
    return code ?? (await attempt(typed, surroundings, 'last')) ?? 1
  } finally {
    interruption.stop()
    endSoon(
      () => handles.heldOpen(),
      (text) => void output.stderr.write(text),
    )
  }
}

/** The plugin of a user that a command belongs to. */
function foreignOwner(kernel: Kernel, { plugins }: Typed): string | undefined {
  const infos = plugins.flatMap((name) => kernel.plugins.info(name) ?? [])
  return infos.find(({ origin, generation }) => origin !== 'built-in' && generation > 0)?.manifest.name
}

/** Before anything runs that could start a program for the agent. */
function hideSecrets(kernel: Kernel, { env, found = [] }: BootOptions): void {
  const variables = hideEnvironment(secretVariables(env, new Set(declaredSecrets(found))))
  const message = 'other programs of this user can read variables of svc in /proc: the system refused to overwrite them'
  if (variables.length > 0) kernel.getLog('kernel').warn(message, { variables })
}

/** Asked for with `restart` of `CliContext`. */
class Restart extends Error {}

/** What all attempts of one command share. */
interface AttemptDeps {
  readonly io: CliContext
  readonly interruption: Interruption
  readonly output: ReturnType<typeof holdOutput>
  readonly options: BootOptions
}

/** Undefined when the command asked to begin once more, which the last attempt may not. */
async function attempt(
  typed: Typed,
  { io: shared, interruption, output, options }: AttemptDeps,
  which: 'first' | 'last',
): Promise<number | undefined> {
  const restart = (error: unknown): never => {
    throw which === 'last' ? error : new Restart()
  }
  const io = { ...shared, restart }
  let booted: Booted | undefined
  let forget = () => {}
  let isAgain = false
  try {
    const onSlow = (plugin: string, stage: string) => io.err(`svc: still waiting for the plugin ${plugin} (${stage})\n`)
    const onReloaded = (plugin: string, generation: number) =>
      io.err(`svc: ${plugin}: reloaded (generation ${generation})\n`)
    const onError = (plugin: string, message: string) => io.err(`svc: ${plugin}: ${message}\n`)
    const open = async (inner: RuntimeOptions) => (await import('./library.ts')).openSvc(inner)
    booted = await boot({ onSlow, onReloaded, onError, open, ...options })
    const { kernel, warnings } = booted
    output.onStray = (plugin, stream, text) => kernel.getLog(plugin).info(`wrote to ${stream}`, { text })
    for (const warning of warnings) io.err(`svc: ${warning}\n`)
    hideSecrets(kernel, options)
    forget = onStrayErrors(kernel, (error) => {
      output.stderr.write(failure(error).text)
      process.exit(1)
    })
    const code = await runLoaded(booted, typed, io)
    return interruption.exitCode() ?? code
  } catch (error) {
    isAgain = error instanceof Restart && !interruption.signal.aborted
    if (isAgain) return undefined
    const plugin = booted && foreignOwner(booted.kernel, typed)
    if (booted) logFault(booted.kernel.getLog('kernel'), `svc ${typed.command} failed`, error, plugin)
    const { text, code } = failure(error, plugin)
    io.err(interruption.signal.aborted ? '' : text)
    return interruption.exitCode() ?? code
  } finally {
    await booted?.stop()
    // What strays after the end of the command is still heard.
    if (isAgain) forget()
  }
}
