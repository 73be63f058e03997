/** Albums (core.telegram.org/bots/api#sendmediagroup): what is refused, and the files that are one message. */
import type { ServiceAnswer, UploadedFile } from 'svc/sdk/kit/stand-in'
import { refusal } from './answers.ts'

type Data = Readonly<Record<string, unknown>>

/** Types that may stand together. */
const TOGETHER = [['photo', 'video'], ['audio'], ['document']] as const
const MAX_PHOTO_BYTES = 10_000_000

function bad(description: string): { readonly answer: ServiceAnswer } {
  return { answer: refusal(400, `Bad Request: ${description}`) }
}

/** The files in their order, and what stands under the first of them. */
export function readAlbum(
  { media }: Data,
  files: readonly UploadedFile[],
): { readonly answer: ServiceAnswer } | { readonly files: readonly UploadedFile[]; readonly captions: Data } {
  if (!Array.isArray(media)) return bad("can't parse media JSON object")
  if (media.length < 2 || media.length > 10) return bad('there must be 2 to 10 items in the group')
  const items = media as readonly Data[]
  const types = items.map(({ type }) => String(type))
  const group = TOGETHER.find((names) => (names as readonly string[]).includes(types[0] ?? ''))
  if (!group) return bad('type of file mismatch')
  if (!types.every((type) => (group as readonly string[]).includes(type)))
    return bad(
      `${types.find((type) => !(group as readonly string[]).includes(type))} can't be mixed with other media types`,
    )
  const found = items.map(({ media: name }) => files.find(({ field }) => `attach://${field}` === name))
  if (found.some((file) => file === undefined)) return bad('wrong file identifier/HTTP URL specified')
  const all = found as readonly UploadedFile[]
  if (new Set(all).size < all.length || all.length < files.length) return bad('this stand-in wants each file once')
  if (all.some(({ bytes }, at) => types[at] === 'photo' && bytes.length > MAX_PHOTO_BYTES))
    return bad('file is too big for a photo')
  if (items.slice(1).some(({ caption }) => caption)) return bad('this stand-in wants one caption, on the first file')
  const { caption, parse_mode } = items[0] ?? {}
  return { files: all, captions: { ...(caption !== undefined && { caption, parse_mode }) } }
}

/** Uploads that the service does not take, whatever the method. */
export function wrongUpload(files: readonly UploadedFile[]): ServiceAnswer | undefined {
  if (files.some(({ bytes }) => bytes.length === 0)) return refusal(400, 'Bad Request: file must be non-empty')
  return files.some(({ bytes }) => bytes.length > 50_000_000) ? refusal(413, 'Request Entity Too Large') : undefined
}
