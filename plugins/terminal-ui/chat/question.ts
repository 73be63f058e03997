/** What is asked: the words of the command line, what was piped in, or both. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CliContext, SvcError } from 'svc/sdk'

const MAX_INPUT_BYTES = 2 * 2 ** 20

/** The arguments as one text. A file named with `@` gets the quotes back that the shell removed. */
export function joinArguments(args: readonly string[], cwd: string): string | undefined {
  const isFile = (word: string) => /^@[^"\n]*\s/.test(word) && existsSync(resolve(cwd, word.slice(1)))
  const written = args.map((word) => (isFile(word) ? `@"${word.slice(1)}"` : word))
  return written.length > 0 ? written.join(' ') : undefined
}

/** Throws `INPUT_TOO_LARGE`, `CHAT_INPUT_BINARY` or `CHAT_NOTHING_ASKED`. */
export async function question(typed: string | undefined, io: CliContext): Promise<string> {
  const bytes = await io.stdin(MAX_INPUT_BYTES)
  const piped = bytes?.length ? decode(bytes).trim() : ''
  const parts = [typed?.trim(), piped].filter((part) => part)
  if (parts.length) return parts.join('\n\n')
  throw new SvcError('CHAT_NOTHING_ASKED', 'There was no question. Type: svc chat -q "your question", or pipe text in.')
}

function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch (cause) {
    throw binary(cause)
  }
  throw binary(undefined)
}

function binary(cause: unknown): SvcError {
  const message = 'Standard input is not UTF-8 text. Name the file in the question instead: svc chat -q "look at FILE"'
  return new SvcError('CHAT_INPUT_BINARY', message, { cause })
}
