/**
 * Sealed and signed messages, as the services of Tencent send them to a webhook (developer.work.weixin.qq.com/document/path/91144,
 * developers.weixin.qq.com/doc/offiaccount/Message_Management/Message_encryption_and_decryption_instructions): AES-256-CBC over random
 * bytes, a length, the text and the id of the receiver; and a SHA-1 over sorted parts.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { isSameSecret } from '../net/signatures.ts'

/** What both sides share. @since 0.2 */
export interface MessageSealOptions {
  readonly token: string
  /** 43 characters of base64, without the padding. Empty for messages that are signed only. */
  readonly key: string
  /** Of the receiver: a company or an app. */
  readonly receiver: string
}

const BLOCK = 32
const RANDOM = 16

/** @since 0.2 */
export class MessageSeal {
  readonly #token: string
  readonly #key: Buffer
  readonly #receiver: string

  constructor({ token, key, receiver }: MessageSealOptions) {
    this.#token = token
    this.#key = Buffer.from(`${key}=`, 'base64')
    this.#receiver = receiver
  }

  /** The hexadecimal signature of parts such as time, nonce and sealed text, in any order. */
  sign(parts: readonly string[]): string {
    return createHash('sha1')
      .update([this.#token, ...parts].sort().join(''))
      .digest('hex')
  }

  /** An empty token signs nothing. */
  isSigned(parts: readonly string[], given: string): boolean {
    return this.#token !== '' && isSameSecret(this.sign(parts), given)
  }

  /** The text; undefined if it is malformed, or sealed with another key or for another receiver. */
  open(sealed: string): string | undefined {
    try {
      const decipher = createDecipheriv('aes-256-cbc', this.#key, this.#key.subarray(0, 16)).setAutoPadding(false)
      const padded = Buffer.concat([decipher.update(sealed, 'base64'), decipher.final()])
      const padding = padded.at(-1) ?? 0
      if (padding < 1 || padding > BLOCK || padding > padded.length - RANDOM - 4) return undefined
      const length = padded.readUInt32BE(RANDOM)
      const rest = padded.subarray(RANDOM + 4, padded.length - padding)
      if (length > rest.length) return undefined
      const isOurs = isSameSecret(rest.subarray(length).toString('utf8'), this.#receiver)
      return isOurs ? rest.subarray(0, length).toString('utf8') : undefined
    } catch {
      return undefined
    }
  }

  /** `random` are 16 bytes. */
  close(text: string, random: Uint8Array): string {
    const bytes = Buffer.from(text)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    const open = Buffer.concat([random.subarray(0, RANDOM), length, bytes, Buffer.from(this.#receiver)])
    const padding = BLOCK - (open.length % BLOCK)
    const cipher = createCipheriv('aes-256-cbc', this.#key, this.#key.subarray(0, 16)).setAutoPadding(false)
    return Buffer.concat([
      cipher.update(Buffer.concat([open, Buffer.alloc(padding, padding)])),
      cipher.final(),
    ]).toString('base64')
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
/** An element that has text and no elements in it. */
const FIELD = /<(\w+)>(?:<!\[CDATA\[([\s\S]*?)\]\]>|([^<]*))<\/\1>/g

/** How the end of a section is written within one: in two. */
const SPLIT = ']]]]><![CDATA[>'

/** The texts of the innermost elements by their names, of XML without attributes; of repeated ones the first. @since 0.2 */
export function readXmlFields(text: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null)
  for (const [, name = '', data, plain = ''] of text.matchAll(FIELD))
    fields[name] ??=
      data?.replaceAll(SPLIT, ']]>') ?? plain.replace(/&(\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole)
  return fields
}

/** The same in XML, each as a text that is not read as marks. @since 0.2 */
export function writeXmlFields(fields: Readonly<Record<string, string>>): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    return `<${name}><![CDATA[${value.replaceAll(']]>', SPLIT)}]]></${name}>`
  })
  return `<xml>${parts.join('')}</xml>`
}
