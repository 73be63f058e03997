/** Secrets of an account as a client stores them at its homeserver (https://spec.matrix.org/latest/client-server-api/#secret-storage). */
import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Content } from './wire.ts'

const ID = 'k1'

/** A recovery key, and the account data that it opens. */
export interface StoredSecrets {
  readonly recoveryKey: string
  readonly accountData: ReadonlyMap<string, Content>
}

/** `secrets`: values by their names. */
export function storeSecrets(secrets: Readonly<Record<string, string>>): StoredSecrets {
  const key = randomBytes(32)
  const { iv, mac } = encrypt(key, '', Buffer.alloc(32))
  const data = Object.entries(secrets).map(
    ([name, value]) => [name, { encrypted: { [ID]: encrypt(key, name, Buffer.from(value)) } }] as const,
  )
  return {
    recoveryKey: showKey(key),
    accountData: new Map<string, Content>([
      ['m.secret_storage.default_key', { key: ID }],
      [`m.secret_storage.key.${ID}`, { algorithm: 'm.secret_storage.v1.aes-hmac-sha2', iv, mac }],
      ...data,
    ]),
  }
}

function encrypt(key: Buffer, name: string, clear: Buffer) {
  const both = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(32), name, 64))
  const iv = randomBytes(16)
  // Clear, since some implementations of AES-CTR count in 63 bits.
  iv[8] = (iv[8] ?? 0) & 0x7f
  const cipher = createCipheriv('aes-256-ctr', both.subarray(0, 32), iv)
  const ciphertext = Buffer.concat([cipher.update(clear), cipher.final()])
  const mac = createHmac('sha256', both.subarray(32)).update(ciphertext).digest('base64')
  return { iv: iv.toString('base64'), ciphertext: ciphertext.toString('base64'), mac }
}

/** As a client shows it (https://spec.matrix.org/latest/client-server-api/#cryptographic-key-representation). */
function showKey(key: Buffer): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const bytes = [0x8b, 0x01, ...key]
  const parity = bytes.reduce((all, byte) => all ^ byte, 0)
  let text = ''
  for (let left = BigInt(`0x${Buffer.from([...bytes, parity]).toString('hex')}`); left > 0n; left /= 58n)
    text = alphabet.charAt(Number(left % 58n)) + text
  return text.replace(/.{4}(?=.)/g, '$& ')
}
