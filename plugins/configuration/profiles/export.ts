/** `svc profile export`: what a copy takes along, as one file; without secrets unless they are asked for. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type CliArguments, type CliContext, Clock, SvcError } from 'svc/sdk'
import { leadsOut, writeAtomically } from 'svc/sdk/kit/files'
import { formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { MAX_BYTES, MAX_FILES, packArchive } from './archive.ts'
import { createMask, maskFile } from './masking.ts'
import { listFiles, listPortable, type PortableFile } from './portable.ts'
import { type Context, findFolder, findOwn, type ProfileFolder } from './profile-folders.ts'

export interface ExportOptions {
  /** With `.env`, and with nothing masked. */
  readonly hasSecrets: boolean
}

export interface Exported {
  readonly bytes: Uint8Array
  readonly files: number
  /** Files in which `***` stands for secrets. */
  readonly masked: readonly string[]
  /** Files that are not in it: links, and what has secrets that cannot be masked. */
  readonly skipped: readonly string[]
}

export async function exportCommand(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const [typed] = input.args
  const profile = typed === undefined ? findOwn(ctx) : findFolder(ctx, typed)
  const hasSecrets = hasFlag(input, 'secrets')
  const file = resolve(String(input.options['output'] ?? `${profile.name}.svc-profile.zip`))
  if (lstatSync(file, { throwIfNoEntry: false }) && !hasFlag(input, 'force'))
    throw new SvcError(
      'PROFILE_EXPORT',
      `${file} is there already. Choose another file with --output, or add --force.`,
      {
        status: 409,
      },
    )
  const { bytes, files, masked, skipped } = await exportProfile(ctx, profile, { hasSecrets })
  await write(file, bytes)
  if (hasFlag(input, 'json')) {
    printJson(io, {
      ok: true,
      profile: profile.name,
      path: file,
      bytes: bytes.length,
      files,
      secrets: hasSecrets,
      masked,
      skipped,
    })
    return 0
  }
  io.out(`The profile ${profile.name} is in ${file}: ${formatCount(files, 'file')}.\n`)
  if (hasSecrets) io.out('It holds keys in plain text: who has the file can use them.\n')
  else io.out('Its keys are not in it. With them: svc profile export --secrets\n')
  if (masked.length > 0) io.out(`*** stands for secrets in: ${masked.map(safeLine).join(', ')}\n`)
  if (skipped.length > 0)
    io.out(
      `Not in it, because they are links or have secrets that cannot be masked: ${skipped.map(safeLine).join(', ')}\n`,
    )
  io.out(`To make a profile of it: svc profile import ${safeLine(basename(file))}\n`)
  return 0
}

/** Throws `PROFILE_EXPORT`. */
export async function exportProfile(
  ctx: Context,
  { name, dir }: ProfileFolder,
  options: ExportOptions,
): Promise<Exported> {
  const { hasSecrets } = options
  const { shared, personal } = listPortable(ctx)
  const found = listFiles(dir, [...shared, ...personal, 'profile.yaml', ...(hasSecrets ? ['.env'] : [])])
  requirePackable(found.files)
  const mask = hasSecrets ? (text: string) => text : await createMask(ctx, dir)
  const files = new Map<string, Uint8Array>()
  const masked: string[] = []
  const skipped = [...found.skipped]
  for (const { path } of found.files) {
    const data = readFileSync(join(dir, path))
    const shown = hasSecrets ? data : maskFile(path, data, mask)
    if (shown === undefined || mask(path) !== path) {
      skipped.push(mask(path))
      continue
    }
    files.set(path, shown)
    if (shown !== data) masked.push(path)
  }
  const programs = new Set(found.files.filter(({ mode }) => (mode & 0o100) !== 0).map(({ path }) => path))
  const created = new Date(ctx.use(Clock).now()).toISOString()
  const about = { name, created, secrets: hasSecrets, masked }
  return { bytes: await packArchive(about, files, programs), files: files.size, masked, skipped }
}

/** Throws `PROFILE_EXPORT` for what an import would refuse. */
function requirePackable(files: readonly PortableFile[]): void {
  const mib = Math.ceil(files.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20)
  const most = MAX_BYTES / 2 ** 20
  if (files.length > MAX_FILES || mib > most)
    throw refuse(
      `it has ${formatCount(files.length, 'file')} with ${mib} MiB; at most ${MAX_FILES} files with ${most} MiB can be exported.`,
    )
  const odd = files.find(({ path }) => leadsOut(path))
  if (odd) throw refuse(`${JSON.stringify(odd.path)} cannot be written on every system. Rename it.`)
}

/** For its owner only: settings and memories are in it. */
async function write(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeAtomically(file, bytes, { mode: 0o600, enforceMode: true })
  } catch (cause) {
    const why = existsSync(resolve(file, '..')) ? (cause as Error).message : `there is no folder ${resolve(file, '..')}`
    throw new SvcError('PROFILE_EXPORT', `${file} cannot be written: ${why}`, { cause })
  }
}

function refuse(why: string): SvcError {
  return new SvcError('PROFILE_EXPORT', `The profile is not exported: ${why}`)
}
