/** Where profiles are: the default one is the root, the others are below `profiles`. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, Home, type PluginContext, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { isProfileName } from './names.ts'

export type Context = PluginContext<undefined>
/** What finding folders takes. */
export type HomeContext = Pick<Context, 'use'>

/** A profile, by its name and its folder. */
export interface ProfileFolder {
  readonly name: string
  readonly dir: string
}

export const DEFAULT = 'default'

export function findProfilesFolder(ctx: HomeContext): string {
  return join(ctx.use(Home).root, 'profiles')
}

/** All of them, the default one first. */
export function listFolders(ctx: HomeContext): readonly ProfileFolder[] {
  const folder = findProfilesFolder(ctx)
  const names = existsSync(folder) ? readdirSync(folder).filter(isProfileName).sort() : []
  const others = names.map((name) => ({ name, dir: join(folder, name) })).filter(({ dir }) => isFolder(dir))
  return [{ name: DEFAULT, dir: ctx.use(Home).root }, ...others]
}

/** Throws `PROFILE_NOT_FOUND`. */
export function findFolder(ctx: HomeContext, typed: string): ProfileFolder {
  const all = listFolders(ctx)
  const found = all.find(({ name }) => name === typed.toLowerCase())
  if (found) return found
  const names = all.map(({ name }) => name).join(', ')
  const message = `There is no profile ${JSON.stringify(typed)}. There are: ${names}. To create one: svc profile create NAME`
  throw new SvcError('PROFILE_NOT_FOUND', message, { status: 404 })
}

/** The profile of this process. */
export function findOwn(ctx: HomeContext): ProfileFolder {
  const { profile = DEFAULT, dir } = ctx.use(Home)
  return { name: profile, dir }
}

/** Throws `PROFILE_TAKEN`, also for a folder that other file systems would take for the same. */
export function requireFree(ctx: HomeContext, name: string): void {
  const folder = findProfilesFolder(ctx)
  const taken = existsSync(folder) && readdirSync(folder).find((other) => other.toLowerCase() === name)
  if (taken) throw new SvcError('PROFILE_TAKEN', `${join(folder, taken)} is there already.`, { status: 409 })
}

/** The profile of commands that name none. Throws `PROFILE_WRITE` for a file that cannot be read. */
export function readActive(ctx: HomeContext): string {
  const file = findActiveFile(ctx)
  try {
    const name = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
    return name === '' ? DEFAULT : name
  } catch (cause) {
    const message = `${file} names the profile in use and cannot be read: ${errorMessage(cause)}. Remove it, then: svc profile use NAME`
    throw new SvcError('PROFILE_WRITE', message, { cause })
  }
}

export async function writeActive(ctx: HomeContext, name: string): Promise<void> {
  const file = findActiveFile(ctx)
  if (name === DEFAULT) rmSync(file, { force: true })
  else await writeAtomically(file, `${name}\n`)
}

function findActiveFile(ctx: HomeContext): string {
  return join(ctx.use(Home).root, 'active_profile')
}

function isFolder(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false
}
