/** Pictures that a message names: attached to it, as if they had been pasted. */
import type { ImageContent } from 'svc/sdk'
import type { ImageFile, MediaFiles } from 'svc/sdk/media'
import { findMentions, type MentionSession } from './mention.ts'

/** How many of a message, and how large each may be: what providers take. */
const MAX_PICTURES = 5
const MAX_BYTES = 15 * 2 ** 20
const NAME = /\.(png|jpe?g|gif|webp)$/i

/** Whether a path names a picture, by its ending. */
export function isPictureName(path: string): boolean {
  return NAME.test(path)
}

/** Where pictures are read, and what stops it. */
export interface PictureContext extends MentionSession {
  readonly signal: AbortSignal
}

/** Throws what `MediaFiles.picture` throws. */
export function readPicture(media: MediaFiles, path: string, place: PictureContext): Promise<ImageFile> {
  return media.picture({ ...place, source: path, maxBytes: MAX_BYTES })
}

/** Those that are there and whole, in the order of the text. What cannot be read is explained in the text by `withMentioned`. */
export async function readNamedPictures(
  text: string,
  media: MediaFiles,
  place: PictureContext,
): Promise<readonly ImageContent[]> {
  const paths = findMentions(text).map((readings) => readings.map(({ path }) => path).filter(isPictureName))
  const images: ImageContent[] = []
  for (const names of paths.filter(({ length }) => length > 0).slice(0, MAX_PICTURES)) {
    const read = await findFirstPicture(names, media, place)
    if (read) images.push({ mediaType: read.mediaType, data: Buffer.from(read.bytes).toString('base64') })
  }
  return images
}

async function findFirstPicture(
  names: readonly string[],
  media: MediaFiles,
  place: PictureContext,
): Promise<ImageFile | undefined> {
  for (const name of names) {
    try {
      return await readPicture(media, name, place)
    } catch {
      // The text says why, where the file is there at all.
    }
  }
  return undefined
}
