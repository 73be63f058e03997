/** Runs a shell command in a kernel that is there. */
import { blockPath } from '../home/plugin-settings.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { kernelOwner, runAs } from '../kernel/owner.ts'
import { type CliCommand, CliCommands, type CliContext } from '../sdk/cli.ts'
import { SvcError } from '../sdk/errors.ts'
import type { Booted } from './boot.ts'
import { runCommand } from './cli.ts'
import { listEntries, withAdded } from './command-entry.ts'
import { isStartedByAgent } from './leash.ts'
import { writeMigratedSettings } from './settings-migration.ts'

/** How long a process lives before it begins to follow edits of its config and plugins. */
const FOLLOW_AFTER_MS = 1500

/** The author of a folder that was named for this run edits it from the start. */
const FOLLOW_NAMED_AFTER_MS = 100

/** What was typed: the command, the plugins that bring one of that name, and the rest. */
export interface Typed {
  readonly command: string
  /** More than one if a plugin of the user replaces a disabled built-in one. */
  readonly plugins: readonly string[]
  readonly argv: readonly string[]
  /** Plugins of the folders that were named with `--plugin`: loaded with each command. */
  readonly named?: readonly string[]
  /** What was typed in front of `argv`, for messages; left out: `svc <command>`. */
  readonly path?: string
}

/** Loads the owner of a command and runs it. */
export async function runLoaded(booted: Booted, typed: Typed, io: CliContext): Promise<number> {
  const { kernel } = booted
  const { named = [] } = typed
  await kernel.load([...typed.plugins, ...named])
  await writeMigratedSettings(booted, () => isStartedByAgent(process.env))
  kernel.started()
  sayProblems(booted, io)
  for (const name of named) {
    const info = kernel.plugins.info(name)
    if (info?.status === 'left-out') io.err(`svc: --plugin: ${name} does not run: ${info.reason}\n`)
  }
  for (const message of await booted.findOutsideChanges(io.interactive)) io.err(`svc: ${message}\n`)
  const command = withAdded(findCliCommand(kernel, typed), listEntries(kernel.catalogue.found))
  const owner = kernel.points.view(CliCommands, kernelOwner).owner(typed.command)
  const host = owner === undefined ? undefined : kernel.generations.live(owner)
  const release = host ? kernel.generations.hold(host) : () => {}
  const { clock } = kernel.ports
  const followAfter = named.length > 0 ? FOLLOW_NAMED_AFTER_MS : FOLLOW_AFTER_MS
  const cancel = clock.after(followAfter, () => void booted.follow(), { background: true })
  try {
    const path = typed.path ?? `svc ${typed.command}`
    return await runAs(host?.owner ?? kernelOwner, () => runCommand(command, typed.argv, io, path))
  } finally {
    cancel()
    await release()
  }
}

function findCliCommand(kernel: Kernel, { command, plugins }: Typed): CliCommand {
  const found = kernel.points.view(CliCommands, kernelOwner).get(command)
  if (found) return found
  const why = plugins.map((name) => `${name}: ${kernel.plugins.info(name)?.reason ?? 'it did not offer the command'}`)
  throw new SvcError(
    'PLUGIN_LEFT_OUT',
    `svc ${command} is not available: its plugin is not running; ${why.join('; ')}.`,
  )
}

/** Config problems and unguarded gates are reported once, at the start: here, unless they were reported already. */
function sayProblems({ kernel, config, consents }: Booted, io: CliContext): void {
  for (const notice of consents.notices()) io.err(`svc: ${notice}\n`)
  const blocks = kernel.catalogue.found.flatMap((found) => (found.origin === 'project' ? [] : blockPath(found)))
  for (const { path, message, hint } of [...config.problems(), ...config.unknownBlocks(blocks)])
    io.err(`svc: ${path ? `config.yaml: ${path}: ` : ''}${message}${hint ? ` (${hint})` : ''}\n`)
  for (const { plugin, state, reason } of kernel.plugins.guards())
    if (state === 'disabled') io.err(`svc: not guarded: ${plugin}: ${reason}\n`)
}
