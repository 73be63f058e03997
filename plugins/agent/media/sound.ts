/** Sounds: what they are, and that there is something to hear. */
import { SvcError } from 'svc/sdk'
import type { MediaFile, MediaReadOptions } from 'svc/sdk/media'
import { detectSoundKind } from './media-kind.ts'
import { type MediaDeps, readSource } from './media-source.ts'

/** The shortest header of all kinds is longer than this. */
const LEAST_BYTES = 16

/** Reads a sound. Throws what `readSource` does, `MEDIA_EMPTY` or `MEDIA_KIND`. */
export async function readSound(request: MediaReadOptions, deps: MediaDeps): Promise<MediaFile> {
  const raw = await readSource(request, deps)
  const { mediaType, extension, what } = detectSoundKind(raw)
  if (raw.bytes.length < LEAST_BYTES || (extension === 'wav' && isSilentWav(raw.bytes)))
    throw new SvcError('MEDIA_EMPTY', `${raw.name} is ${what} without anything to hear in it.`)
  return { ...raw, mediaType, extension }
}

/** A header with no samples behind it. */
function isSilentWav(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4096)).indexOf('data', 12, 'latin1')
  return start >= 0 ? bytes.length <= start + 8 : bytes.length <= 44
}
