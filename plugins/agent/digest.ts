/** A fingerprint of what a model is sent, and its size; what was sent before is not read again. */
import { createHash, type Hash } from 'node:crypto'
import type { Message, ToolDefinition } from 'svc/sdk'
import { textOf } from './definitions.ts'

let newest = { text: '', digest: '' }

/** Tools are long, and nearly always those of the call before. */
function digestOf(text: string): string {
  if (newest.text !== text) newest = { text, digest: createHash('sha256').update(text).digest('hex') }
  return newest.digest
}

/** One per turn. A conversation only grows, so each request costs as much as what is new in it. */
export class RequestDigest {
  #messages: readonly Message[] = []
  #hash: Hash = createHash('sha256')
  #length = 0

  /** `length` counts characters of JSON: about four of them are a token. */
  of(
    messages: readonly Message[],
    tools: readonly ToolDefinition[],
    options: Readonly<Record<string, unknown>>,
  ): { readonly digest: string; readonly length: number } {
    const isSame = this.#messages.every((message, index) => messages[index] === message)
    if (!isSame) {
      this.#hash = createHash('sha256')
      this.#length = 0
    }
    for (const message of messages.slice(isSame ? this.#messages.length : 0)) {
      const text = JSON.stringify(message)
      this.#hash.update(text)
      this.#length += text.length
    }
    this.#messages = [...messages]
    const rest = textOf(tools) + JSON.stringify(options)
    return { digest: this.#hash.copy().update(digestOf(rest)).digest('hex'), length: this.#length + rest.length }
  }
}
