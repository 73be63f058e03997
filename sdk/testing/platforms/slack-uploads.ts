/** Files that people shared with the app, and those that the app uploads (docs.slack.dev/messaging/working-with-files). */
import type { ServiceAnswer } from './service.ts'

interface Upload {
  readonly name: string
  bytes: Uint8Array
}

export class SlackUploads {
  readonly #files: Map<string, Upload> = new Map()

  add(id: string, name: string, bytes: Uint8Array = new Uint8Array(0)): void {
    this.#files.set(id, { name, bytes })
  }

  get(id: string): Upload | undefined {
    return this.#files.get(id)
  }

  /** The bytes come. */
  take(path: string, body: Buffer): ServiceAnswer {
    const upload = this.#files.get(path.split('/')[2] ?? '')
    if (upload) upload.bytes = body
    return upload ? { body: `OK - ${body.length}` } : { status: 404 }
  }

  download(path: string): ServiceAnswer {
    const file = this.#files.get(path.split('/')[2] ?? '')
    return file ? { headers: { 'content-type': 'application/octet-stream' }, body: file.bytes } : { status: 404 }
  }
}
