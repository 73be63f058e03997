/** The files of a stand-in (zulip.com/api/upload-file and get-file-temporary-url). */
import { parseForm, type ServiceAnswer, type ServiceRequest, type UploadedFile } from 'svc/sdk/kit/stand-in'
import { ok, wrong } from './answers.ts'

const MAX_BYTES = 25 * 2 ** 20
const TEMPORARY = '/user_uploads/temporary/'
const LINK = /\[[^\]\n]*\]\((\/user_uploads\/[^\s()]+)\)/g

type File = Pick<UploadedFile, 'name' | 'bytes'>

export class Uploads {
  readonly #files: Map<string, File> = new Map()
  #count = 0

  /** The path of a file; names lose what would be a mark. */
  keep(file: File): string {
    const name = file.name.replace(/[^\p{L}\p{N}_\s.-]/gu, '').replace(/\s+/g, '-') || 'uploaded-file'
    const path = encodeURI(`/user_uploads/2/${(++this.#count).toString(16).padStart(2, '0')}/kX3vQ/${name}`)
    this.#files.set(path, file)
    return path
  }

  take(request: ServiceRequest): ServiceAnswer {
    const [file, ...more] = parseForm(request)?.files ?? []
    if (!file) return wrong('You must specify a file to upload')
    if (more.length > 0) return wrong('You may only upload one file at a time')
    if (file.bytes.length > MAX_BYTES)
      return wrong("File is larger than this server's configured maximum upload size (25 MiB).")
    const url = this.keep(file)
    return ok({ url, uri: url, filename: file.name })
  }

  /** An address that needs no credentials. */
  point(path: string): ServiceAnswer {
    const isThere = this.#files.has(path)
    return isThere
      ? ok({ url: `${TEMPORARY}${Buffer.from(path).toString('hex')}` })
      : wrong('That file does not exist.', { status: 404 })
  }

  /** Undefined for a path that is no such address. */
  give(path: string): ServiceAnswer | undefined {
    if (!path.startsWith(TEMPORARY)) return undefined
    const file = this.#files.get(Buffer.from(path.slice(TEMPORARY.length), 'hex').toString())
    return file ? { body: file.bytes } : { status: 403, body: 'Forbidden' }
  }

  /** Of the links of a message. */
  list(content: string): readonly File[] {
    return [...content.matchAll(LINK)].flatMap(([, path = '']) => this.#files.get(path) ?? [])
  }
}

/** Without its links to files. */
export function withoutFiles(content: string): string {
  return content.replace(LINK, '').trim()
}
