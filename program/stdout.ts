/** The quick answers: written straight to standard output, which costs a tenth of opening it as a stream. */
import { readFileSync, writeSync } from 'node:fs'

/** Prints the version of the package. */
export function sayVersion(): void {
  const file = new URL('../../package.json', import.meta.url)
  say(`${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}\n`)
}

/** Writes all of a text; a slow reader is waited for, one that left is not missed. */
export function say(text: string): void {
  let rest = Buffer.from(text)
  while (rest.length) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw error
    }
  }
}
