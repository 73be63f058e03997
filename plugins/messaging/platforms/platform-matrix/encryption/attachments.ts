/** Encrypted files (spec.matrix.org/latest/client-server-api, sending encrypted attachments): AES-CTR, and a hash of what is uploaded. */
import { SvcError } from 'svc/sdk'
import { z } from 'zod'

/** An `EncryptedFile` without its address. */
const info = z.looseObject({
  v: z.literal('v2'),
  key: z.looseObject({ alg: z.literal('A256CTR'), k: z.string() }),
  iv: z.string(),
  hashes: z.object({ sha256: z.string() }),
})
export type FileKey = z.infer<typeof info>

/** What is uploaded, and the key with which others read it. */
export async function encryptFile(
  bytes: Uint8Array,
): Promise<{ readonly bytes: Uint8Array; readonly key: Readonly<Record<string, unknown>> }> {
  const { Attachment, initAsync } = await import('@matrix-org/matrix-sdk-crypto-wasm')
  await initAsync()
  const encrypted = Attachment.encrypt(bytes)
  const key = JSON.parse(encrypted.mediaEncryptionInfo ?? '{}') as Record<string, unknown>
  return { bytes: encrypted.encryptedData, key }
}

/** Throws `MATRIX_FAILED` for a file that was changed. */
export async function decryptFile(bytes: Uint8Array, key: FileKey): Promise<Uint8Array> {
  const { Attachment, EncryptedAttachment, initAsync } = await import('@matrix-org/matrix-sdk-crypto-wasm')
  await initAsync()
  try {
    return Attachment.decrypt(new EncryptedAttachment(bytes, JSON.stringify(key)))
  } catch (cause) {
    throw new SvcError('MATRIX_FAILED', 'An encrypted file is not as it was sent. Ask for it again.', { cause })
  }
}

/** Undefined for what is not the key of a file. */
export function readFileKey(value: unknown): FileKey | undefined {
  return info.safeParse(value).data
}

const SEPARATOR = '#'

/** One reference for an address and its key, as the gateway stores it. */
export function joinReference(url: string, key: FileKey): string {
  return url + SEPARATOR + Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** The address and, for an encrypted file, its key. */
export function splitReference(reference: string): { readonly url: string; readonly key: FileKey | undefined } {
  const [url = '', text] = reference.split(SEPARATOR)
  if (text === undefined) return { url, key: undefined }
  return { url, key: info.parse(JSON.parse(Buffer.from(text, 'base64url').toString())) }
}
