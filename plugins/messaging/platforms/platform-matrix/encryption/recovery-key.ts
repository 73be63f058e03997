/**
 * Recovery keys as people see them (spec.matrix.org/latest/client-server-api, cryptographic key representation): base58 with the alphabet of
 * Bitcoin over two fixed bytes, the key, and a byte that makes the exclusive or of all of them 0.
 */

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE = BigInt(ALPHABET.length)
const PREFIX = [0x8b, 0x01]
const LENGTH = PREFIX.length + 32 + 1

/** The key in it; undefined if it is not one. Blanks are ignored. */
export function decodeRecoveryKey(text: string): Buffer | undefined {
  let value = 0n
  for (const character of text.replace(/\s/g, '')) {
    const digit = ALPHABET.indexOf(character)
    if (digit < 0) return undefined
    value = value * BASE + BigInt(digit)
  }
  const hex = value.toString(16).padStart(2 * LENGTH, '0')
  const bytes = Buffer.from(hex, 'hex')
  const isWhole = hex.length === 2 * LENGTH && bytes.reduce((all, byte) => all ^ byte, 0) === 0
  return isWhole && PREFIX.every((byte, at) => bytes[at] === byte) ? bytes.subarray(PREFIX.length, -1) : undefined
}
