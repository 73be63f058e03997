/** `svc gateway install` and `uninstall`: the gateway as a service of the user, and starting it as one. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname } from 'node:path'
import {
  type CliArguments,
  type CliContext,
  Config,
  errorMessage,
  Home,
  type PluginContext,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { UninstallItem } from 'svc/sdk/operations'
import { findProfiles } from './profiles.ts'
import {
  type Command,
  createLaunchdAgent,
  createSystemdUnit,
  MANAGERS,
  type ManagerName,
  UNIT_MARK,
  type Unit,
  type UnitFacts,
  xml,
} from './service-units.ts'
import { programWords } from './supervised-process.ts'
import { createWindowsTask } from './windows-task.ts'

/** The time limit of a stop, in addition to the wait for answers, before the system kills it. */
const CLOSE_SECONDS = 30
const COMMAND_MS = 30_000
const CREATE_UNIT: Readonly<Record<ManagerName, (facts: UnitFacts) => Unit>> = {
  systemd: createSystemdUnit,
  launchd: createLaunchdAgent,
  'task-scheduler': createWindowsTask,
}
const MANAGERS_BY_SYSTEM: Readonly<Partial<Record<NodeJS.Platform, ManagerName>>> = {
  darwin: 'launchd',
  linux: 'systemd',
  win32: 'task-scheduler',
}

/** `svc gateway install`. */
export async function install(
  ctx: PluginContext<undefined>,
  { options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const unit = unitFor(ctx, options['manager'], options['profiles'])
  if (options['dryRun'] === true) return dryRun(io, unit)
  const before = existsSync(unit.file) ? readFileSync(unit.file, 'utf8') : undefined
  if (before !== undefined && before !== unit.text) {
    writeFile(`${unit.file}.before`, before)
    io.out(`The file that was there is kept as ${unit.file}.before\n`)
  }
  writeFile(unit.file, unit.text)
  io.out(`Written: ${unit.file}\n`)
  const trouble = await runAll(unit.enable)
  if (trouble !== undefined) {
    io.err(
      `${safeLine(trouble)}\nThe file is in place. When ${unit.manager} can be reached, run:\n${formatCommands(unit.enable)}`,
    )
  } else io.out('The gateway starts whenever you log in. To start it now: svc gateway start\n')
  for (const hint of unit.hints) io.out(`${hint}\n`)
  io.out('To undo this: svc gateway uninstall\n')
  return 0
}

/** `svc gateway uninstall`. */
export async function uninstall(
  ctx: PluginContext<undefined>,
  { options }: CliArguments,
  io: CliContext,
): Promise<number> {
  const unit = unitFor(ctx, options['manager'])
  if (!existsSync(unit.file)) {
    io.out(`The gateway is not installed: ${unit.file} is not there.\n`)
    return 0
  }
  if (options['dryRun'] === true) {
    io.out(`Would run and then remove ${unit.file}:\n${formatCommands(unit.disable)}`)
    return 0
  }
  const trouble = await runAll(unit.disable)
  rmSync(unit.file)
  const after = await runAll(unit.forget)
  io.out(`Removed: ${unit.file}\nThe gateway does not start by itself any more. To undo this: svc gateway install\n`)
  const commands = [...(trouble === undefined ? [] : unit.disable), ...(after === undefined ? [] : unit.forget)]
  if (commands.length > 0)
    io.err(
      `${safeLine(trouble ?? after ?? '')}\nWhen ${unit.manager} can be reached, run:\n${formatCommands(commands)}`,
    )
  return 0
}

/** The installed service of this home, as something to remove; undefined if none is installed. */
export function findService(ctx: PluginContext<undefined>): UninstallItem | undefined {
  const manager = managerOfSystem()
  const unit = manager && CREATE_UNIT[manager](collectUnitFacts(ctx))
  // Another home may have a service of the same name.
  if (!unit || !existsSync(unit.file) || !isOfHome(readFileSync(unit.file, 'utf8'), ctx.use(Home).root))
    return undefined
  return {
    text: `Stop and remove the service ${unit.name} (${unit.file})`,
    async remove() {
      const trouble = await runAll(unit.disable)
      rmSync(unit.file, { force: true })
      const after = await runAll(unit.forget)
      if (trouble === undefined && after === undefined) return
      const commands = [...(trouble === undefined ? [] : unit.disable), ...unit.forget]
      const message = `${safeLine(trouble ?? after ?? '')} Its file is removed. When ${unit.manager} can be reached, run:\n${formatCommands(commands)}`
      throw new SvcError('GATEWAY_SERVICE', message.trimEnd())
    },
  }
}

/** Whether svc wrote the file of a service for this home: its environment names it. */
function isOfHome(text: string, root: string): boolean {
  // Ended as each manager ends a word, so that no longer path is taken for it.
  const words = [`SVC_HOME=${root}"`, `SVC_HOME=${xml(root)}"`, `<string>${xml(root)}<`]
  return text.includes(UNIT_MARK) && words.some((word) => text.includes(word))
}

/** Starts it as the installed service; false if it is not installed or the system refused, which is reported. */
export async function startService(ctx: PluginContext<undefined>, io: Pick<CliContext, 'err'>): Promise<boolean> {
  const manager = managerOfSystem()
  const unit = manager && CREATE_UNIT[manager](collectUnitFacts(ctx))
  if (!unit || !existsSync(unit.file)) return false
  const trouble = await runAll([unit.start])
  if (trouble === undefined) return true
  io.err(`${safeLine(trouble)}\nIt is started without ${unit.manager}.\n`)
  return false
}

/** Throws `GATEWAY_SERVICE`, and what `findProfiles` throws. */
function unitFor(ctx: PluginContext<undefined>, asked: unknown, profiles?: unknown): Unit {
  const manager = MANAGERS.find((name) => name === asked) ?? managerOfSystem()
  if (asked !== undefined && asked !== manager) {
    const message = `There is no manager "${asked}". Managers: ${MANAGERS.join(', ')}.`
    throw new SvcError('GATEWAY_SERVICE', message, { status: 400 })
  }
  const facts = collectUnitFacts(ctx)
  if (manager && typeof profiles !== 'string') return CREATE_UNIT[manager](facts)
  if (manager) return CREATE_UNIT[manager]({ ...facts, profiles: checkProfiles(ctx, String(profiles)) })
  const advice = 'Let the service manager of your system run `svc gateway start` when you log in.'
  throw new SvcError('GATEWAY_SERVICE', `svc can install itself with ${MANAGERS.join(', ')} only. ${advice}`)
}

/** `all` stays as it is: profiles that are made later are served, too. */
function checkProfiles(ctx: PluginContext<undefined>, typed: string): string {
  const found = findProfiles(ctx, typed)
  return typed === 'all' ? typed : found.map(({ name }) => name).join(',')
}

function managerOfSystem(): ManagerName | undefined {
  return MANAGERS_BY_SYSTEM[process.platform]
}

function collectUnitFacts(ctx: PluginContext<undefined>) {
  const home = ctx.use(Home)
  const { username, uid } = userInfo()
  const drain = Number(ctx.use(Config).get('gateway.drain_seconds') ?? 30)
  return {
    words: programWords(home),
    profile: home.profile,
    home: home.root,
    userHome: homedir(),
    userName: username,
    userId: uid,
    path: ctx.use(Secrets).get('PATH'),
    stopSeconds: Math.ceil(drain) + CLOSE_SECONDS,
    earlyLog: home.path('logs', 'gateway-launchd.log'),
  }
}

function dryRun(io: CliContext, unit: Unit): number {
  io.out(unit.text)
  io.err(`Nothing was done. This would be ${unit.file}, and then:\n${formatCommands(unit.enable)}`)
  return 0
}

function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeAtomicallySync(file, text)
}

/** What went wrong first; what follows is not tried then. */
async function runAll(commands: readonly Command[]): Promise<string | undefined> {
  for (const command of commands) {
    const trouble = await runOne(command)
    if (trouble !== undefined) return trouble
  }
  return undefined
}

function runOne([program = '', ...args]: Command): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: COMMAND_MS, windowsHide: true }, (error, _out, err) => {
      if (!error) return resolve(undefined)
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      resolve(isMissing ? `There is no ${program} here.` : `${program} refused: ${err.trim() || errorMessage(error)}`)
    })
  })
}

/** As a person types them. */
function formatCommands(commands: readonly Command[]): string {
  const quoted = (word: string) => {
    if (/^[\w./:@=+-]+$/.test(word)) return word
    // Of Windows, whose shells do not know single quotes.
    return word.includes('\\') ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`
  }
  return commands.map((command) => `  ${command.map(quoted).join(' ')}\n`).join('')
}
