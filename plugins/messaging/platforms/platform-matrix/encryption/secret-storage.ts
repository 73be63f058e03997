/**
 * Secrets that an account keeps encrypted at its homeserver (spec.matrix.org/latest/client-server-api, secrets: storage, with
 * `m.secret_storage.v1.aes-hmac-sha2`), opened with the recovery key that a person was shown.
 */
import { createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { SvcError } from 'svc/sdk'
import { z } from 'zod'
import { getErrcode, type MatrixApi } from '../api.ts'
import { decodeRecoveryKey } from './recovery-key.ts'

const ALGORITHM = 'm.secret_storage.v1.aes-hmac-sha2'
const KEY_BYTES = 32

const pointer = z.object({ key: z.string() })
const description = z.object({ algorithm: z.literal(ALGORITHM), iv: z.string(), mac: z.string() })
const encrypted = z.object({ iv: z.string(), mac: z.string(), ciphertext: z.string() })
const secret = z.object({ encrypted: z.record(z.string(), encrypted) })

export class SecretStorage {
  readonly #api: MatrixApi
  readonly #userId: string
  readonly #key: Buffer
  readonly #id: string

  private constructor(api: MatrixApi, userId: string, key: { readonly bytes: Buffer; readonly id: string }) {
    this.#api = api
    this.#userId = userId
    this.#key = key.bytes
    this.#id = key.id
  }

  /** Throws `MATRIX_RECOVERY_KEY` when the key is not one, or not the one of the account. */
  static async open(api: MatrixApi, userId: string, recoveryKey: string): Promise<SecretStorage> {
    const bytes = decodeRecoveryKey(recoveryKey)
    if (!bytes) throw refused('It is not a recovery key, which has 12 groups of 4 characters.')
    const id = pointer.safeParse(await read(api, userId, 'm.secret_storage.default_key')).data?.key
    const about = description.safeParse(id && (await read(api, userId, `m.secret_storage.key.${id}`))).data
    if (id === undefined || !about) throw refused('The account has no secret storage that svc can read.')
    const { aes, mac } = derive(bytes, '')
    const probe = crypt(aes, about.iv, Buffer.alloc(KEY_BYTES))
    if (!isSame(createHmac('sha256', mac).update(probe).digest(), about.mac))
      throw refused('It is not the recovery key of this account.')
    return new SecretStorage(api, userId, { bytes, id })
  }

  /** Undefined if the account does not keep it. Throws `MATRIX_RECOVERY_KEY` if it was changed. */
  async get(name: string): Promise<string | undefined> {
    const found = secret.safeParse(await read(this.#api, this.#userId, name)).data?.encrypted[this.#id]
    if (!found) return undefined
    const { aes, mac } = derive(this.#key, name)
    const ciphertext = Buffer.from(found.ciphertext, 'base64')
    if (!isSame(createHmac('sha256', mac).update(ciphertext).digest(), found.mac))
      throw refused(`The secret ${name} of the account was changed.`)
    return crypt(aes, found.iv, ciphertext).toString('utf8')
  }
}

function refused(why: string): SvcError {
  return new SvcError('MATRIX_RECOVERY_KEY', `MATRIX_RECOVERY_KEY cannot be used. ${why}`)
}

/** Two keys for one secret (HKDF with SHA-256, a salt of zeros, and the name of the secret). */
function derive(key: Buffer, name: string): { readonly aes: Buffer; readonly mac: Buffer } {
  const both = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(KEY_BYTES), name, 2 * KEY_BYTES))
  return { aes: both.subarray(0, KEY_BYTES), mac: both.subarray(KEY_BYTES) }
}

/** AES-CTR is the same in both directions. */
function crypt(key: Buffer, iv: string, bytes: Buffer): Buffer {
  const cipher = createDecipheriv('aes-256-ctr', key, Buffer.from(iv, 'base64'))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

function isSame(mac: Buffer, expected: string): boolean {
  const other = Buffer.from(expected, 'base64')
  return mac.length === other.length && timingSafeEqual(mac, other)
}

async function read(api: MatrixApi, userId: string, type: string): Promise<unknown> {
  const path = `/client/v3/user/${encodeURIComponent(userId)}/account_data/${encodeURIComponent(type)}`
  return api.ask({ path }).catch((error: unknown) => {
    if (getErrcode(error) === 'M_NOT_FOUND') return undefined
    throw error
  })
}
