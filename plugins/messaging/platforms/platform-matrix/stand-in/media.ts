/** The content repository of a homeserver (https://spec.matrix.org/latest/client-server-api/#content-repository), and files as clients send them. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { SayOptions, ServiceAnswer, ServiceRequest } from 'svc/sdk/kit/stand-in'
import type { StandInDelivery } from 'svc/sdk/platform'
import { type Content, failure } from './wire.ts'

/** One file. */
export interface StoredFile {
  bytes: Buffer
  readonly mediaType: string
  /** As its uploader named it to the homeserver. */
  readonly fileName: string | null
}

const ADDRESS = 'mxc://example.org/'

export class Media {
  readonly #files: Map<string, StoredFile> = new Map()
  #count = 0

  /** Undefined if nothing was uploaded. */
  get last(): StoredFile | undefined {
    return [...this.#files.values()].at(-1)
  }

  answer(request: ServiceRequest, rest: readonly string[]): ServiceAnswer {
    if (rest[0] === 'upload') {
      const mediaType = request.headers['content-type'] ?? ''
      const fileName = request.query.get('filename')
      return { body: { content_uri: this.#add({ bytes: request.body, mediaType, fileName }) } }
    }
    const file = this.#files.get(rest.at(-1) ?? '')
    if (!file || !request.path.includes('/client/v1/')) return failure(404, 'M_NOT_FOUND', 'Media not found')
    return { headers: { 'content-type': file.mediaType }, body: file.bytes }
  }

  /** The content of a message with a file. */
  message(file: NonNullable<SayOptions['files']>[number], text: string, isEncrypted: boolean): Content {
    const { name, mediaType, bytes: clear } = file
    const [kind = ''] = mediaType.split('/')
    return {
      msgtype: ['image', 'audio', 'video'].includes(kind) ? `m.${kind}` : 'm.file',
      body: text || name,
      filename: name,
      ...(isEncrypted
        ? this.#addEncrypted(clear)
        : { url: this.#add({ ...file, bytes: Buffer.from(clear), fileName: name }) }),
      info: { mimetype: mediaType, size: clear.length },
      ...(file.isVoice && { 'org.matrix.msc3245.voice': {}, 'org.matrix.msc1767.audio': { duration: 1500 } }),
    }
  }

  /** The files of a message, as a client shows them. */
  list(content: Content): StandInDelivery['files'] {
    const key = content['file'] as Content | undefined
    const file = this.#files.get(String((key ?? content)['url'] ?? '').replace(ADDRESS, ''))
    if (!file) return []
    const bytes = key ? decryptFile(file.bytes, key) : file.bytes
    const isVoice = content['org.matrix.msc3245.voice'] !== undefined && content['msgtype'] === 'm.audio'
    return [
      {
        name: String(content['filename'] ?? content['body']),
        bytes,
        ...(isVoice && { isVoice, durationMs: Number((content['org.matrix.msc1767.audio'] as Content)['duration']) }),
      },
    ]
  }

  /** Changes a byte of the last file. */
  spoil(): void {
    const { last } = this
    if (last) last.bytes = Buffer.concat([Buffer.from([(last.bytes[0] ?? 0) ^ 1]), last.bytes.subarray(1)])
  }

  #add(file: StoredFile): string {
    const id = `media${++this.#count}`
    this.#files.set(id, file)
    return ADDRESS + id
  }

  #addEncrypted(clear: Uint8Array): Content {
    const { bytes, key } = encryptFile(clear)
    return { file: { ...key, url: this.#add({ bytes, mediaType: 'application/octet-stream', fileName: null }) } }
  }
}

/** As a client encrypts a file (https://spec.matrix.org/latest/client-server-api/#sending-encrypted-attachments). */
function encryptFile(clear: Uint8Array): { readonly bytes: Buffer; readonly key: Content } {
  const [key, iv] = [randomBytes(32), Buffer.concat([randomBytes(8), Buffer.alloc(8)])]
  const cipher = createCipheriv('aes-256-ctr', key, iv)
  const bytes = Buffer.concat([cipher.update(clear), cipher.final()])
  const k = { kty: 'oct', key_ops: ['encrypt', 'decrypt'], alg: 'A256CTR', k: key.toString('base64url'), ext: true }
  return { bytes, key: { v: 'v2', key: k, iv: toBase64(iv), hashes: { sha256: hash(bytes) } } }
}

/** As a client reads it; throws if it was changed. */
function decryptFile(bytes: Buffer, file: Content): Buffer {
  const { key, iv, hashes } = file as { key: { k: string }; iv: string; hashes: { sha256: string } }
  if (hash(bytes) !== hashes.sha256.replace(/=+$/, '')) throw new Error('The file is not the one that was sent.')
  const cipher = createDecipheriv('aes-256-ctr', Buffer.from(key.k, 'base64url'), Buffer.from(iv, 'base64'))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

function hash(bytes: Buffer): string {
  return toBase64(createHash('sha256').update(bytes).digest())
}

/** Without padding, as Matrix has it. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
