/** Ways to write an IPv4 address in a URL that some program somewhere reads as that address. */
import fc from 'fast-check'

type Octets = readonly [number, number, number, number]

/** Blocks that no public machine has, as first address and number of fixed bits. */
const blocks: readonly (readonly [Octets, number])[] = [
  [[0, 0, 0, 0], 8],
  [[10, 0, 0, 0], 8],
  [[100, 64, 0, 0], 10],
  [[127, 0, 0, 0], 8],
  [[169, 254, 0, 0], 16],
  [[172, 16, 0, 0], 12],
  [[192, 0, 2, 0], 24],
  [[192, 168, 0, 0], 16],
  [[198, 18, 0, 0], 15],
  [[224, 0, 0, 0], 4],
  [[240, 0, 0, 0], 4],
]

function octets(value: number): Octets {
  return [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
}

function toNumber([a, b, c, d]: Octets): number {
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}

function inBlock([first, bits]: readonly [Octets, number]): fc.Arbitrary<Octets> {
  return fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((rest) => octets(toNumber(first) + rest))
}

/** An address of a private or reserved block. */
export const privateAddress: fc.Arbitrary<Octets> = fc.constantFrom(...blocks).chain(inBlock)

/** An address of the link-local block, where clouds serve metadata. */
export const metadataAddress: fc.Arbitrary<Octets> = inBlock([[169, 254, 0, 0], 16])

/** An address of blocks that are given to machines. */
export const publicAddress: fc.Arbitrary<Octets> = fc
  .constantFrom<readonly [Octets, number]>([[8, 0, 0, 0], 8], [[93, 0, 0, 0], 8], [[151, 101, 0, 0], 16])
  .chain(inBlock)

const hex = (value: number) => `0x${value.toString(16)}`
const octal = (value: number) => `0${value.toString(8)}`
const pair = (high: number, low: number) => ((high << 8) | low).toString(16)
const dotted = (address: Octets) => address.join('.')
const tail = ([a, b, c, d]: Octets) => `${pair(a, b)}:${pair(c, d)}`

/** Spellings of an IPv4 address as such; the first is the usual one. */
export const spellings4: readonly ((address: Octets) => string)[] = [
  dotted,
  (address) => `${dotted(address)}.`,
  (address) => String(toNumber(address)),
  (address) => hex(toNumber(address)),
  (address) => octal(toNumber(address)),
  (address) => address.map(hex).join('.'),
  (address) => address.map((part) => `0X${part.toString(16).toUpperCase()}`).join('.'),
  (address) => address.map(octal).join('.'),
  (address) => address.map((part) => part.toString(8).padStart(12, '0')).join('.'),
  ([a, b, c, d]) => `${a}.${b}.${(c << 8) | d}`,
  ([a, b, c, d]) => `${hex(a)}.${((b << 16) | (c << 8) | d) >>> 0}`,
  (address) => dotted(address).replaceAll('.', '。'),
  (address) => dotted(address).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (address) => dotted(address).replace(/\d/g, (digit) => `%3${digit}`),
]

/** Spellings of it inside IPv6. */
export const spellings6: readonly ((address: Octets) => string)[] = [
  (address) => `[::ffff:${dotted(address)}]`,
  (address) => `[::FFFF:${tail(address)}]`,
  (address) => `[0:0:0:0:0:ffff:${tail(address)}]`,
  (address) => `[::${dotted(address)}]`,
  (address) => `[::ffff:0:${tail(address)}]`,
  (address) => `[64:ff9b::${tail(address)}]`,
  (address) => `[2002:${tail(address)}::1]`,
  (address) => `[2001:0:${tail(address)}::1]`,
  ([a, b, c, d]) => `[2001:0:808:808:0:0:${pair(255 - a, 255 - b)}:${pair(255 - c, 255 - d)}]`,
  (address) => `[2a00::5efe:${tail(address)}]`.replace('::', ':0:0:0:0:'),
]
