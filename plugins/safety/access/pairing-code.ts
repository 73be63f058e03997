/** Codes that strangers are shown and the owner types. Only a salted hash of one is ever kept. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from 'svc/sdk'

/** 32 symbols without those that are taken for others: 0 and O, 1 and I. */
const SYMBOLS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 8
const SALT_BYTES = 16

/** A code as it is kept. */
export interface HashedCode {
  readonly salt: string
  readonly hash: string
}

/** 40 random bits, five for each symbol. */
export function newCode(random: Random): string {
  const bits = BigInt(`0x${random.hex((LENGTH * 5) / 8)}`)
  const places = Array.from({ length: LENGTH }, (_, at) => Number((bits >> BigInt(at * 5)) & 31n))
  return places.map((place) => SYMBOLS[place]).join('')
}

export function hashCode(code: string, random: Random): HashedCode {
  const salt = random.hex(SALT_BYTES)
  return { salt, hash: digest(code, salt).toString('hex') }
}

/** Whether this is the code that was kept, however it is written: case, blanks and hyphens do not count. */
export function isCode(typed: string, { salt, hash }: HashedCode): boolean {
  return timingSafeEqual(digest(typed.toUpperCase().replace(/[\s-]/g, ''), salt), Buffer.from(hash, 'hex'))
}

function digest(code: string, salt: string): Buffer {
  return createHash('sha256').update(`${salt}:${code}`).digest()
}
