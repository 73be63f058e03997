/** Takes the text of an answer apart: what is shown, and the calls of tools at its end. */
import type { ToolCall } from 'svc/sdk'
import { tryParseJson } from 'svc/sdk'
import { CLOSE, OPEN } from './transcript.ts'

export class AnswerText {
  readonly #hasTools: boolean
  #held = ''
  #isInCalls = false

  constructor(hasTools: boolean) {
    this.#hasTools = hasTools
  }

  /** Returns what can be shown now. The beginning of a mark is held until it is known to be one. */
  add(piece: string): string {
    if (!this.#hasTools) return piece
    this.#held += piece
    if (this.#isInCalls) return ''
    const at = this.#held.indexOf(OPEN)
    this.#isInCalls = at >= 0
    return this.#release(at >= 0 ? at : this.#held.length - countBegun(this.#held))
  }

  /** The rest of the answer: tool calls, and plain text. `newId` creates the ids of the calls. */
  end(newId: () => string): { readonly text: string; readonly calls: readonly ToolCall[] } {
    if (!this.#isInCalls) return { text: this.#release(this.#held.length), calls: [] }
    const calls: ToolCall[] = []
    const text = this.#held.replaceAll(new RegExp(`${OPEN}([\\s\\S]*?)(?:${CLOSE}|$)`, 'g'), (whole, inner: string) => {
      const call = readCall(inner)
      if (!call) return whole
      calls.push({ id: newId(), ...call })
      return ''
    })
    this.#held = ''
    return { text: text.trim() === '' ? '' : text, calls }
  }

  #release(length: number): string {
    const shown = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return shown
  }
}

/** How many characters at the end could begin a mark. */
function countBegun(text: string): number {
  for (let length = Math.min(OPEN.length - 1, text.length); length > 0; length--)
    if (OPEN.startsWith(text.slice(-length))) return length
  return 0
}

/** Arguments that are not JSON stay as they are, so that the model is told. Undefined: it names no tool. */
function readCall(inner: string): Omit<ToolCall, 'id'> | undefined {
  const value = tryParseJson(inner.trim())?.value as { name?: unknown; arguments?: unknown } | undefined
  if (typeof value?.name === 'string') return { name: value.name, input: value.arguments ?? {} }
  const [, name] = /"name"\s*:\s*"([^"\\]{1,200})"/.exec(inner) ?? []
  return name === undefined ? undefined : { name, input: inner.trim() }
}
