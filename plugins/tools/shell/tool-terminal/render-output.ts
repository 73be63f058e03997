/** Turns what a command wrote into text a model can read: no escape sequences, no raw bytes, lines as a screen shows them. */

import { stripVTControlCharacters } from 'node:util'
import { readableOutput } from 'svc/sdk/kit/terminal'
import type { Captured } from './capture.ts'

/** Above this share of unreadable characters an output is taken for binary. */
const BINARY_SHARE = 0.15

/** The output as text, with what was left out said in its place. */
export function renderOutput(output: Captured): string {
  const head = new TextDecoder().decode(output.head, { stream: output.omitted > 0 })
  const tail = new TextDecoder().decode(afterCutCharacter(output.tail))
  if (isBinary(head + tail)) return describeBinary(output)
  if (output.omitted === 0) return readableOutput(head)
  const cut = `[... ${output.omitted.toLocaleString('en')} bytes left out here ...]`
  return `${readableOutput(head)}\n${cut}\n${readableOutput(tail)}`
}

function isBinary(text: string): boolean {
  if (text === '') return false
  const unreadable = stripVTControlCharacters(text).match(/(?![\n\t\r\b])[\p{Cc}\uFFFD]/gu)?.length ?? 0
  return unreadable / text.length > BINARY_SHARE
}

function describeBinary(output: Captured): string {
  const start = output.head.subarray(0, 48)
  const hex = start.toString('hex').replace(/../g, '$& ').trim()
  const letters = start.toString('latin1').replace(/[^ -~]/g, '.')
  return `[binary output, ${output.total.toLocaleString('en')} bytes, beginning with ${hex} (${letters}); send it to a file instead]`
}

function afterCutCharacter(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
