/**
 * SCRAM-SHA-256 (RFC 5802 and 7677) for `@xmpp/client`, whose own SCRAM has SHA-1 only and derives the key in as many calls as it has
 * rounds: that takes seconds on a busy machine.
 */
import { createHash, createHmac, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import type { Random } from 'svc/sdk'

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

/** What the library does with a mechanism. */
export interface Mechanism {
  readonly name: string
  readonly clientFirst: boolean
  challenge(text: string): this
  response(credentials: Credentials): Promise<string>
}

/** A mechanism as the library takes it. */
export function createScramSha256(random: Pick<Random, 'hex'>): new () => Mechanism {
  return class implements Mechanism {
    readonly name: string = SCRAM_SHA_256
    readonly clientFirst: boolean = true
    readonly #nonce: string = random.hex(24)
    #challenge = ''

    challenge(text: string): this {
      this.#challenge = text
      return this
    }

    async response(credentials: Credentials): Promise<string> {
      return respond(this.#nonce, this.#challenge, credentials)
    }
  }
}

async function respond(own: string, challenge: string, { username, password }: Credentials): Promise<string> {
  const begin = `n=${username.replace(/=/g, '=3D').replace(/,/g, '=2C')},r=${own}`
  if (challenge === '') return `n,,${begin}`
  const { r: nonce = '', s: salt = '', i: rounds = '' } = readAttributes(challenge)
  const count = Number(rounds)
  if (!nonce.startsWith(own) || nonce === own || salt === '' || !(count >= 1 && count <= MAX_ROUNDS))
    throw new Error('the server sent a wrong challenge')
  const salted = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), count, LENGTH, HASH)
  const sign = (key: Uint8Array, what: string) => createHmac(HASH, key).update(what).digest()
  const clientKey = sign(salted, 'Client Key')
  const final = `c=biws,r=${nonce}`
  const signature = sign(createHash(HASH).update(clientKey).digest(), `${begin},${challenge},${final}`)
  const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))
  return `${final},p=${Buffer.from(proof).toString('base64')}`
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(',').map((each) => [each.slice(0, 1), each.slice(2)]))
}
