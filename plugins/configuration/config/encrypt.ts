/** Seals what undo needs, so that neither a search nor a copy of the journal shows a secret outside of `.env`. */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Random, SvcError } from 'svc/sdk'
import { toWriteError } from './atomic-write.ts'

const CIPHER = 'aes-256-gcm'

/** The key in `file`, made on first use with mode 0600. */
export async function sealingKey(file: string, random: Random): Promise<Buffer> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, random.hex(32), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toWriteError(file, error)
  }
  return Buffer.from(await readFile(file, 'utf8'), 'hex')
}

/** Plain data as sealed text. */
export function seal(data: unknown, key: Buffer, random: Random): string {
  const nonce = Buffer.from(random.hex(12), 'hex')
  const cipher = createCipheriv(CIPHER, key, nonce)
  const body = Buffer.concat([cipher.update(deflateRawSync(JSON.stringify(data))), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
}

/** The data again. Throws `CONFIG_UNDO_UNKNOWN` when the text was damaged or sealed with another key. */
export function unseal(text: string, key: Buffer): unknown {
  const bytes = Buffer.from(text, 'base64')
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return JSON.parse(inflateRawSync(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])).toString())
  } catch (cause) {
    const message = 'The change cannot be taken back: its record is damaged or its key was replaced. Edit by hand.'
    throw new SvcError('CONFIG_UNDO_UNKNOWN', message, { cause })
  }
}
