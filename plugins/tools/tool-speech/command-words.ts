/** A command of config.yaml as words, without a shell: quotes hold a word together, and that is all there is. */
import { SvcError } from 'svc/sdk'

const WORD = /\s*((?:[^\s'"]+|'[^']*'|"[^"]*")+)/y

/** Throws `SPEECH_COMMAND` for a quote that is not closed. Backslashes stand for themselves. */
export function commandWords(command: string): readonly string[] {
  const words: string[] = []
  const text = command.trim()
  WORD.lastIndex = 0
  while (WORD.lastIndex < text.length) {
    const at = WORD.lastIndex
    const word = WORD.exec(text)?.[1]
    if (word === undefined)
      throw new SvcError('SPEECH_COMMAND', `A quote is not closed in the command: ${text.slice(at, at + 60).trim()}`)
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, one?: string, two?: string) => one ?? two ?? ''))
  }
  return words
}

/** The words with `{input}`, `{output}` and the like filled in. What is filled in is never looked at again. */
export function fillWords(words: readonly string[], values: Readonly<Record<string, string>>): readonly string[] {
  return words.map((word) => word.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole))
}
