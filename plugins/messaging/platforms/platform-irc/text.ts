/** From a text to lines of a message and back: what IRC cannot carry, and where a long line is cut. */
import { fold } from './message.ts'

/** Bytes that a line may have, without its end: RFC 1459 section 2.3. */
const LINE_BYTES = 510
/** For a prefix that is not known: host names have at most 63 bytes on IRC. */
const UNKNOWN_PREFIX = 'x'.repeat(30 + 11 + 64)

/** Lines for `PRIVMSG`, each short enough to arrive whole with the prefix that the server adds. */
export function linesFor(text: string, target: string, prefix: string | undefined): string[] {
  const frame = `:${prefix ?? UNKNOWN_PREFIX} PRIVMSG ${target} :`
  const room = LINE_BYTES - Buffer.byteLength(frame)
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    // A line in \x01 would be a command for the client of the recipient (CTCP).
    const harmless = line.replace(/[\0\x01]/g, '').trimEnd()
    return harmless.trim() ? cut(harmless, room) : []
  })
}

/** Between words where there are any, never within a character. */
function cut(line: string, room: number): string[] {
  const pieces: string[] = []
  let rest = line
  while (Buffer.byteLength(rest) > room) {
    const head = headWithin(rest, room)
    const blank = head.lastIndexOf(' ')
    const piece = blank > head.length / 2 ? head.slice(0, blank) : head
    pieces.push(piece)
    rest = rest.slice(piece.length).replace(/^ /, '')
  }
  return rest ? [...pieces, rest] : pieces
}

function headWithin(line: string, room: number): string {
  let bytes = 0
  let end = 0
  for (const character of line) {
    bytes += Buffer.byteLength(character)
    if (bytes > room && end > 0) break
    end += character.length
  }
  return line.slice(0, end)
}

/** A message that is meant for programs (modern.ircdocs.horse/ctcp). */
export interface Ctcp {
  readonly command: string
  readonly argument: string
}

/** Undefined for words of people. */
export function parseCtcp(text: string): Ctcp | undefined {
  if (!text.startsWith('\x01')) return undefined
  const [command = '', argument = ''] = text.slice(1).replace(/\x01$/, '').split(/ (.*)/s)
  return { command: command.toUpperCase(), argument }
}

/** Marks of colour and style, which mean nothing to a reader (modern.ircdocs.horse/formatting). */
export function withoutStyle(text: string): string {
  return text.replace(
    /\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04(?:[0-9a-f]{6}(?:,[0-9a-f]{6})?)?|[\x02\x0f\x11\x16\x1d-\x1f]/gi,
    '',
  )
}

/** Whether one of the nicknames is spoken to, and the text without `nick:` at its beginning. */
export function parseAddressed(
  text: string,
  nicks: readonly string[],
): { readonly isMention: boolean; readonly text: string } {
  const [, name = '', rest = ''] = /^@?([^\s:,]+)[:,]\s*(.*)$/s.exec(text) ?? []
  const isOne = (word: string) => nicks.some((nick) => fold(word) === fold(nick))
  if (name && isOne(name)) return { isMention: true, text: rest }
  // Letters of nicknames: RFC 2812 section 2.3.1.
  const words = text.split(/[^\p{L}\p{N}[\]\\`_^{|}-]+/u)
  return { isMention: words.some(isOne), text }
}
