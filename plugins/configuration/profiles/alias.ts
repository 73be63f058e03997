/** `svc profile alias`: a command of its own for a profile, as a script in the folder of the user's programs. */
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type CliArguments, type CliContext, errorMessage, Home, Secrets, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { writeAtomically } from 'svc/sdk/kit/files'
import { hasFlag, printJson } from 'svc/sdk/kit/terminal'
import type { UninstallItem } from 'svc/sdk/operations'
import { parseNewName } from './names.ts'
import { type Context, findFolder, type HomeContext } from './profile-folders.ts'

/** In the second line of each script that svc wrote. */
const MARK = '# Written by svc profile alias for '
const MAX_SCRIPT = 4096

export async function aliasCommand(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { name } = findFolder(ctx, input.args[0] as string)
  const isRemoving = hasFlag(input, 'remove')
  const typed = input.options['name']
  const files = isRemoving
    ? removeAliases(ctx, name)
    : [await writeAlias(ctx, name, typeof typed === 'string' ? typed : name)]
  if (hasFlag(input, 'json')) printJson(io, { ok: true, profile: name, removed: isRemoving, paths: files })
  else if (isRemoving) io.out(files.length === 0 ? `${name} has no command.\n` : `Removed: ${files.join(', ')}\n`)
  else {
    io.out(`${files[0]} starts svc in the profile ${name}.\n`)
    if (!isOnPath(ctx))
      io.out(`${findFolderOfPrograms(ctx)} is not in PATH: add it to start the command by its name.\n`)
  }
  return 0
}

/** Where the script is. Throws `PROFILE_ALIAS`. */
async function writeAlias(ctx: Context, profile: string, typed: string): Promise<string> {
  if (process.platform === 'win32') throw refuse('commands are shell scripts, which Windows does not start')
  const command = typed === 'default' ? 'default' : parseNewName(typed)
  if (listCommands(ctx).includes(command))
    throw refuse(`${command} is a command of svc. Choose another one with --name`)
  const dir = findFolderOfPrograms(ctx)
  const file = join(dir, command)
  const other = findPrograms(ctx, command).find((path) => readMark(path) === undefined)
  if (other !== undefined) throw refuse(`${other} is another program. Choose another name with --name`)
  const owner = readMark(file)
  if (owner !== undefined && owner !== describeOwner(ctx, profile))
    throw refuse(`${file} belongs to another profile: ${owner}`)
  try {
    mkdirSync(dir, { recursive: true })
    await writeAtomically(file, script(ctx, profile), { mode: 0o755 })
    chmodSync(file, 0o755)
    return file
  } catch (cause) {
    throw refuse(`${file} cannot be written: ${errorMessage(cause)}`, cause)
  }
}

/** The scripts of a profile, which are gone then. */
export function removeAliases(ctx: HomeContext, profile: string): readonly string[] {
  const files = findAliases(ctx, profile)
  for (const file of files) rmSync(file, { force: true })
  return files
}

export function findAliases(ctx: HomeContext, profile: string): readonly string[] {
  const owner = describeOwner(ctx, profile)
  return listScripts(ctx).filter((file) => readMark(file) === owner)
}

function listScripts(ctx: HomeContext): readonly string[] {
  const dir = findFolderOfPrograms(ctx)
  const names = lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dir) : []
  return names.map((name) => join(dir, name))
}

/** For `svc uninstall`: the scripts of all profiles of this home, also of those that are gone. */
export function listAliasItems(ctx: HomeContext): readonly UninstallItem[] {
  const end = ` of ${JSON.stringify(ctx.use(Home).root)}`
  return listScripts(ctx)
    .filter((file) => readMark(file)?.endsWith(end))
    .map((file) => ({ text: `Remove the command ${file}`, remove: async () => rmSync(file, { force: true }) }))
}

/** Scripts of a profile that has another name now. */
export async function renameAliases(ctx: HomeContext, from: string, to: string): Promise<void> {
  for (const file of findAliases(ctx, from)) await writeAtomically(file, script(ctx, to))
}

function script(ctx: HomeContext, profile: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const program = [process.execPath, process.argv[1] ?? ''].map(quoted).join(' ')
  return `#!/bin/sh\n${MARK}${describeOwner(ctx, profile)}\nSVC_HOME=${quoted(ctx.use(Home).root)} exec ${program} -p ${profile} "$@"\n`
}

/** Profile and home: two homes may have a profile of the same name. */
function describeOwner(ctx: HomeContext, profile: string): string {
  return `${profile} of ${JSON.stringify(ctx.use(Home).root)}`
}

/** Whose script a file is; undefined for what svc did not write. */
function readMark(file: string): string | undefined {
  try {
    const stats = lstatSync(file)
    if (!stats.isFile() || stats.size > MAX_SCRIPT) return undefined
    const line = readFileSync(file, 'utf8').split('\n')[1] ?? ''
    return line.startsWith(MARK) ? line.slice(MARK.length) : undefined
  } catch {
    // svc did not write it, or there is no file.
    return undefined
  }
}

/** Programs of this name that a shell would start, and what has the name where the script goes. */
function findPrograms(ctx: Context, command: string): readonly string[] {
  const dirs = [findFolderOfPrograms(ctx), ...listPath(ctx)]
  return [...new Set(dirs.map((dir) => join(dir, command)))].filter((file) => {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false
    if (file === join(findFolderOfPrograms(ctx), command)) return true
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function listCommands(ctx: Context): readonly string[] {
  const manifests = ctx.use(Plugins).list()
  const entries = manifests.flatMap(({ manifest }) => manifest.cli ?? [])
  return entries.map(({ name }) => name.split(' ')[0] ?? name)
}

function isOnPath(ctx: Context): boolean {
  return listPath(ctx).includes(findFolderOfPrograms(ctx))
}

function listPath(ctx: Context): readonly string[] {
  return (ctx.use(Secrets).get('PATH') ?? '').split(delimiter).filter(Boolean)
}

function findFolderOfPrograms(ctx: HomeContext): string {
  return join(ctx.use(Secrets).get('HOME') ?? homedir(), '.local', 'bin')
}

function refuse(why: string, cause?: unknown): SvcError {
  return new SvcError('PROFILE_ALIAS', `The command is not written: ${why}.`, { cause, status: 409 })
}
