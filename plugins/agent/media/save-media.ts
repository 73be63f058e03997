/** New files that only the user reads. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage, type Random, SvcError } from 'svc/sdk'
import { keepNewest } from 'svc/sdk/kit/files'
import type { MediaFile } from 'svc/sdk/media'

const MAX_FILES = 200

/** Writes the file under a new name and returns its path. Throws `MEDIA_NOT_KEPT`. */
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
    await keepNewest(folder, MAX_FILES)
    return path
  } catch (error) {
    // It may not even be there; the error that matters is the first one.
    await rm(draft, { force: true }).catch(() => undefined)
    throw new SvcError('MEDIA_NOT_KEPT', `${path} could not be written: ${errorMessage(error)}.`, { cause: error })
  }
}
