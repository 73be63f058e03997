/** How `svc plugins` breaks lines. */
import type { CliIo } from 'svc/sdk'

/** Words broken into lines that fit the terminal, all but the first indented. */
export function wrap(io: CliIo, text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string
    if (line.trim() && line.length + 1 + word.length > io.columns) lines.push(`  ${word}`)
    else lines[lines.length - 1] = line.trim() ? `${line} ${word}` : line + word
  }
  return lines.join('\n')
}
