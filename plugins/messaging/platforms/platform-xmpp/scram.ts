/**
 * SCRAM-SHA-256 (RFC 5802 and 7677) for `@xmpp/client`, whose own SCRAM has SHA-1 only and derives the key in as many calls as it has
 * rounds: that takes seconds on a busy machine.
 */
import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

interface Credentials {
  readonly username: string
  readonly password: string
}

export const SCRAM_SHA_256 = 'SCRAM-SHA-256'
/** RFC 5802 asks for 4,096; a server that asks for more than this wants to keep us busy. */
const MAX_ROUNDS = 1_000_000
const derive = promisify(pbkdf2)

const HASH = 'sha256'
const LENGTH = 32

/** A mechanism as the library takes it. */
export class ScramSha256 {
  readonly name: string = SCRAM_SHA_256
  readonly clientFirst: boolean = true
  readonly #nonce = randomBytes(24).toString('base64')
  #challenge = ''

  challenge(text: string): this {
    this.#challenge = text
    return this
  }

  async response({ username, password }: Credentials): Promise<string> {
    const begin = `n=${username.replace(/=/g, '=3D').replace(/,/g, '=2C')},r=${this.#nonce}`
    if (this.#challenge === '') return `n,,${begin}`
    const { r: nonce = '', s: salt = '', i: rounds = '' } = readAttributes(this.#challenge)
    const count = Number(rounds)
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce || salt === '' || !(count >= 1 && count <= MAX_ROUNDS))
      throw new Error('the server sent a wrong challenge')
    const salted = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), count, LENGTH, HASH)
    const sign = (key: Uint8Array, what: string) => createHmac(HASH, key).update(what).digest()
    const clientKey = sign(salted, 'Client Key')
    const final = `c=biws,r=${nonce}`
    const signature = sign(createHash(HASH).update(clientKey).digest(), `${begin},${this.#challenge},${final}`)
    const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))
    return `${final},p=${Buffer.from(proof).toString('base64')}`
  }
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(',').map((each) => [each.slice(0, 1), each.slice(2)]))
}
