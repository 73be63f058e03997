/** New files that only the user reads. */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage, type MediaFile, type Random, SvcError } from 'svc/sdk'

const MOST_FILES = 200

/** Writes the file under a name of its own and returns its path. Throws `MEDIA_NOT_KEPT`. */
export async function keepFile(
  folder: string,
  { bytes, extension }: Pick<MediaFile, 'bytes' | 'extension'>,
  random: Random,
): Promise<string> {
  const path = join(folder, `${random.hex(8)}.${extension}`)
  const draft = `${path}.part`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(draft, bytes, { mode: 0o600, flag: 'wx' })
    await rename(draft, path)
    await dropOldest(folder)
    return path
  } catch (error) {
    // It may not even be there; the error that matters is the first one.
    await rm(draft, { force: true }).catch(() => undefined)
    throw new SvcError('MEDIA_NOT_KEPT', `${path} could not be written: ${errorMessage(error)}.`, { cause: error })
  }
}

async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= MOST_FILES) return
  const files = await Promise.all(names.map(async (name) => ({ name, at: await changedAt(join(folder, name)) })))
  const old = files.sort((one, two) => two.at - one.at).slice(MOST_FILES)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

/** Another call may have dropped it meanwhile. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
