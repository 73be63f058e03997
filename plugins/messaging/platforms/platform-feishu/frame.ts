/**
 * Frames of the long connection: the message `pbbp2.Frame` in the encoding of Protocol Buffers (protobuf.dev/programming-guides/encoding),
 * as the SDKs of the vendor (github.com/larksuite/node-sdk) define it.
 */

export interface Frame {
  readonly sequence: bigint
  readonly logId: bigint
  readonly service: number
  /** 0: control, 1: data. */
  readonly method: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly payload: Uint8Array
  /** Other fields, as they came: an acknowledgement repeats them. */
  readonly rest?: Uint8Array
}

export const CONTROL = 0
export const DATA = 1

const VARINT = 0
const BYTES = 2
/** Fixed sizes of the other wire types. */
const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

interface Field {
  readonly number: number
  readonly value: bigint
  readonly bytes: Uint8Array
  /** The field with its tag. */
  readonly raw: Uint8Array
}

/** Undefined if it is malformed. */
export function decodeFrame(bytes: Uint8Array): Frame | undefined {
  const fields = readFields(bytes)
  if (!fields) return undefined
  const number = (which: number) => fields.findLast((field) => field.number === which)?.value ?? 0n
  const headers = fields
    .filter((field) => field.number === 5)
    .map((field) => {
      const parts = readFields(field.bytes) ?? []
      const text = (which: number) => Buffer.from(parts.find((part) => part.number === which)?.bytes ?? []).toString()
      return [text(1), text(2)] as const
    })
  return {
    ...{ sequence: number(1), logId: number(2), headers },
    service: Number(BigInt.asIntN(32, number(3))),
    method: Number(BigInt.asIntN(32, number(4))),
    payload: fields.findLast((field) => field.number === 8)?.bytes ?? new Uint8Array(),
    rest: Buffer.concat(fields.filter((field) => [6, 7, 9].includes(field.number)).map(({ raw }) => raw)),
  }
}

export function encodeFrame({ sequence, logId, service, method, headers, payload, rest }: Frame): Uint8Array {
  return Buffer.concat([
    ...[sequence, logId, BigInt(service), BigInt(method)].map((value, at) => numberField(at + 1, value)),
    ...headers.map(([name, value]) =>
      bytesField(5, Buffer.concat([bytesField(1, Buffer.from(name)), bytesField(2, Buffer.from(value))])),
    ),
    bytesField(8, payload),
    rest ?? new Uint8Array(),
  ])
}

export function findHeader({ headers }: Frame, name: string): string {
  return headers.find(([each]) => each === name)?.[1] ?? ''
}

function readFields(bytes: Uint8Array): readonly Field[] | undefined {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length; ) {
    const field = readField(bytes, at)
    if (!field) return undefined
    fields.push(field)
    at += field.raw.length
  }
  return fields
}

function readField(bytes: Uint8Array, from: number): Field | undefined {
  const tag = readVarint(bytes, from)
  if (!tag) return undefined
  const type = Number(tag.value & 7n)
  const isCounted = type === VARINT || type === BYTES
  const counted = isCounted ? readVarint(bytes, tag.end) : undefined
  if (isCounted ? !counted : FIXED[type] === undefined) return undefined
  const start = counted?.end ?? tag.end
  const end = start + (type === BYTES ? Number(counted?.value) : (FIXED[type] ?? 0))
  if (end > bytes.length) return undefined
  return {
    ...{ number: Number(tag.value >> 3n), value: counted?.value ?? 0n },
    ...{ bytes: bytes.subarray(start, end), raw: bytes.subarray(from, end) },
  }
}

function readVarint(bytes: Uint8Array, from: number): { readonly value: bigint; readonly end: number } | undefined {
  let value = 0n
  for (let at = from; at < bytes.length && at < from + 10; at++) {
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 127) << BigInt(7 * (at - from))
    if (byte < 128) return { value: BigInt.asUintN(64, value), end: at + 1 }
  }
  return undefined
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  for (let rest = BigInt.asUintN(64, value); ; rest >>= 7n) {
    if (rest < 128n) return Uint8Array.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) | 128)
  }
}

function numberField(number: number, value: bigint): Uint8Array {
  return Buffer.concat([varint(BigInt(number << 3)), varint(value)])
}

function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint(BigInt((number << 3) | BYTES)), varint(BigInt(bytes.length)), bytes])
}
