/**
 * Passwords as they are stored: scrypt (RFC 7914) with the least work that OWASP recommends for it (Password Storage Cheat Sheet: N
 * 2^15, r 8, p 3), as `scrypt$N$r$p$salt$hash`.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { type Random, SvcError } from 'svc/sdk'

const COST = { N: 2 ** 15, r: 8, p: 3 } as const
const LENGTH = 32
const MIN_CHARACTERS = 12
/** More is cut by nothing, and costs time only. */
const MAX_BYTES = 1024

/** Throws `LOGIN_PASSWORD_WEAK`. */
export async function hashPassword(password: string, random: Pick<Random, 'hex'>): Promise<string> {
  const count = [...password].length
  if (count < MIN_CHARACTERS) {
    const text = `The password has ${count} characters. Take ${MIN_CHARACTERS} or more, such as some words.`
    throw new SvcError('LOGIN_PASSWORD_WEAK', text)
  }
  const salt = Buffer.from(random.hex(16), 'hex')
  const hash = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Takes as long for no hash as for a wrong password, so that the time does not tell who exists. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, n, r, p, salt = '', hash = ''] = (stored ?? `scrypt$${COST.N}$${COST.r}$${COST.p}$AAAA$`).split('$')
  const given = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(n), r: Number(r), p: Number(p) })
  const wanted = Buffer.alloc(LENGTH)
  Buffer.from(hash, 'base64url').copy(wanted)
  const isEqual = timingSafeEqual(given, wanted)
  return isEqual && stored !== undefined
}

function derive(password: string, salt: Buffer, cost: ScryptOptions & { N: number; r: number }): Promise<Buffer> {
  const bytes = Buffer.from(password.normalize('NFC')).subarray(0, MAX_BYTES)
  return new Promise((resolve, reject) => {
    scrypt(bytes, salt, LENGTH, { ...cost, maxmem: 256 * cost.N * cost.r }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
