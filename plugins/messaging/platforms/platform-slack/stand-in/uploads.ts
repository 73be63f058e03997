/** Files that people shared with the app, and those that the app uploads (docs.slack.dev/messaging/working-with-files). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'

interface Upload {
  readonly name: string
  /** Bytes that were announced; undefined for a file of a person. */
  readonly length: number | undefined
  bytes: Uint8Array
  isShared: boolean
}

export class SlackUploads {
  readonly #files: Map<string, Upload> = new Map()

  add(id: string, name: string, bytes: Uint8Array): void {
    this.#files.set(id, { name, bytes, length: undefined, isShared: true })
  }

  /** An address was asked for. */
  expect(id: string, name: string, length: number): void {
    this.#files.set(id, { name, bytes: new Uint8Array(0), length, isShared: false })
  }

  /** Files are shared once, after all of their bytes have come; the error's name if they cannot be. */
  share(ids: readonly string[]): string | undefined {
    const found = ids.map((id) => this.#files.get(id))
    if (found.length === 0 || new Set(ids).size < ids.length) return 'invalid_arguments'
    if (found.some((file) => !file || file.bytes.length !== file.length)) return 'file_not_found'
    if (found.some((file) => file?.isShared)) return 'file_already_shared'
    for (const file of found) if (file) file.isShared = true
    return undefined
  }

  get(id: string): Upload | undefined {
    return this.#files.get(id)
  }

  /** The bytes come. */
  take(path: string, body: Buffer): ServiceAnswer {
    const upload = this.#files.get(path.split('/')[2] ?? '')
    if (!upload || upload.isShared) return { status: 404 }
    if (body.length !== upload.length) return { status: 400, body: 'the file has another length' }
    upload.bytes = body
    return { body: `OK - ${body.length}` }
  }

  download(path: string): ServiceAnswer {
    const file = this.#files.get(path.split('/')[2] ?? '')
    return file ? { headers: { 'content-type': 'application/octet-stream' }, body: file.bytes } : { status: 404 }
  }
}
