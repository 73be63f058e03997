/** `svc profile import`: a new profile from an archive; made beside the others, and given its name when it is complete. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type CliArguments, type CliContext, errorMessage, SvcError } from 'svc/sdk'
import { leadsOut } from 'svc/sdk/kit/files'
import { formatCount, hasFlag, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { type Archive, MAX_BYTES, readArchive, refuse } from './archive.ts'
import { addProfile, type Created } from './create.ts'
import { parseNewName } from './names.ts'
import { listPortable } from './portable.ts'
import type { Context } from './profile-folders.ts'
import { judgeSkills, type ScanOptions } from './scan.ts'

export async function importCommand(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const file = resolve(input.args[0] as string)
  const archive = await readArchive(readFile(file))
  const { name: wanted } = input.options
  const isWithoutSkills = input.options['skills'] === false
  const { name, dir, skipped, files } = await importProfile(
    ctx,
    isWithoutSkills ? withoutSkills(archive) : archive,
    typeof wanted === 'string' ? wanted : undefined,
    { isForced: hasFlag(input, 'force'), signal: io.signal },
  )
  const { masked, secrets } = archive.facts
  if (hasFlag(input, 'json')) {
    printJson(io, { ok: true, name, path: dir, files, secrets, masked, skipped })
    return 0
  }
  io.out(`The profile ${name} is in ${dir}: ${formatCount(files, 'file')}.\n`)
  if (skipped.length > 0)
    io.out(`Not taken over, because no plugin here knows it: ${skipped.map(safeLine).join(', ')}\n`)
  if (masked.length > 0) io.out(`*** stands for secrets in: ${masked.map(safeLine).join(', ')}. Put yours there.\n`)
  if (!secrets) io.out(`It has no keys. Set the one of your provider: svc -p ${name} auth add\n`)
  io.out('Its settings can name programs that svc starts: read its config.yaml if you did not write it.\n')
  io.out(`Talk in it: svc -p ${name} chat\n`)
  return 0
}

export interface Imported extends Created {
  readonly files: number
}

/** Throws `PROFILE_ARCHIVE`, `PROFILE_NAME`, `PROFILE_TAKEN`, `PROFILE_SCAN`, `PROFILE_BUSY`, `PROFILE_WRITE`. */
export async function importProfile(
  ctx: Context,
  archive: Archive,
  wanted: string | undefined,
  scan: ScanOptions,
): Promise<Imported> {
  const { facts, files } = archive
  const name = chooseName(facts.name, wanted)
  const { shared, personal } = listPortable(ctx)
  const known = new Set([...shared, ...personal, 'profile.yaml', ...(facts.secrets ? ['.env'] : [])])
  const paths = [...files.keys()]
  const odd = paths.find(leadsOut)
  if (odd !== undefined) throw refuse(`the path ${JSON.stringify(odd)} leads out of it`)
  const taken = paths.filter((path) => known.has(path.split('/')[0] ?? ''))
  const created = await addProfile(ctx, name, async (draft) => {
    for (const path of taken) {
      const isProgram = facts.files.some((each) => each.path === path && each.isProgram)
      mkdirSync(dirname(join(draft, path)), { recursive: true, mode: 0o700 })
      writeFileSync(join(draft, path), files.get(path) as Uint8Array, { flag: 'wx', mode: isProgram ? 0o700 : 0o600 })
    }
    if (facts.secrets && taken.includes('.env')) chmodSync(join(draft, '.env'), 0o600)
    await judgeSkills(ctx, draft, scan)
    return paths.filter((path) => !taken.includes(path))
  })
  return { ...created, files: taken.length }
}

function withoutSkills({ facts, files }: Archive): Archive {
  return { facts, files: new Map([...files].filter(([path]) => !path.startsWith('skills/'))) }
}

function chooseName(given: string, wanted: string | undefined): string {
  if (wanted !== undefined) return parseNewName(wanted)
  try {
    return parseNewName(given)
  } catch (cause) {
    const message = `The archive is of ${JSON.stringify(given)}, which cannot be the name of a new profile. Choose one with --name.`
    throw new SvcError('PROFILE_NAME', message, { cause, status: 400 })
  }
}

function readFile(file: string): Uint8Array {
  try {
    const { size } = statSync(file)
    if (size > MAX_BYTES) throw refuse(`it has more than ${MAX_BYTES / 2 ** 20} MiB`)
    return readFileSync(file)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw refuse(`${file} cannot be read: ${errorMessage(cause)}`, cause)
  }
}
