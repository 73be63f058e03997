/**
 * Files of the stand-in for Telegram (core.telegram.org/bots/api#getfile). With `--local` the server stores them on this machine and
 * serves none of them (core.telegram.org/bots/api#using-a-local-bot-api-server).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SayOptions, ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { refusal } from './answers.ts'

type Data = Readonly<Record<string, unknown>>

const MAX_BYTES = 20_000_000

export class TelegramFiles {
  readonly #token: string
  readonly #localFolder: string | undefined
  /** A path that is told in the place of every other. */
  lie: string | undefined
  readonly #files: Map<string, Buffer> = new Map()

  constructor(token: string, localFolder: string | undefined) {
    this.#token = token
    this.#localFolder = localFolder
  }

  /** The fields of a message that has this file. */
  attach({ name, mediaType, bytes }: NonNullable<SayOptions['files']>[number]): Data {
    const file = this.#add(bytes)
    if (mediaType.startsWith('image/')) return { photo: [{ ...file, file_id: 'small', file_size: 1 }, file] }
    if (mediaType === 'audio/ogg') return { voice: { ...file, mime_type: mediaType } }
    return { document: { ...file, file_name: name, mime_type: mediaType } }
  }

  sticker(image: Uint8Array): Data {
    return { ...this.#add(image), type: 'regular', width: 512, height: 512, is_animated: false, is_video: false }
  }

  /** `getFile` */
  find(id: string): ServiceAnswer {
    const bytes = this.#files.get(id)
    if (!bytes) return refusal(400, 'Bad Request: invalid file_id')
    if (this.#localFolder !== undefined)
      return this.#found(id, bytes, this.lie ?? this.#store(this.#localFolder, id, bytes))
    if (bytes.length > MAX_BYTES) return refusal(400, 'Bad Request: file is too big')
    return this.#found(id, bytes, `documents/${id}`)
  }

  /** A download. */
  serve(path: string): ServiceAnswer {
    const bytes = this.#localFolder === undefined ? this.#files.get(path.replace('documents/', '')) : undefined
    return bytes ? { body: bytes } : refusal(404, 'Not Found')
  }

  #found(id: string, { length }: Buffer, path: string): ServiceAnswer {
    return { body: { ok: true, result: { file_id: id, file_size: length, file_path: path } } }
  }

  #store(folder: string, id: string, bytes: Buffer): string {
    const path = join(folder, this.#token, 'documents', id)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    return path
  }

  #add(bytes: Uint8Array): Data {
    const id = `file-${this.#files.size + 1}`
    this.#files.set(id, Buffer.from(bytes))
    return { file_id: id, file_unique_id: id, file_size: bytes.length }
  }
}
