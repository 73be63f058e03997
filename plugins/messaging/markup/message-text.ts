/** The service, of its parts. */
import type { MessageFormatter } from 'svc/sdk/platform'
import { parseRows } from './parse-rows.ts'
import { Packer } from './split-message.ts'

/** Contract: `MessageFormatter` of the SDK. */
export const messageText: MessageFormatter = {
  pieces(markdown, limits) {
    const packer = new Packer(limits)
    for (const row of parseRows(markdown)) packer.add(row)
    return packer.end()
  },
  plain(markdown) {
    const lines = parseRows(markdown).map((row) => {
      const words = row.kind === 'code' ? row.text : row.runs.map(({ text }) => text).join('')
      return row.gap ? `\n${words}` : words
    })
    return lines.join('\n').trim()
  },
}
