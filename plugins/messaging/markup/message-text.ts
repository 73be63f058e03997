/** The service, of its parts. */
import type { MessageText } from 'svc/sdk'
import { Packer } from './pack.ts'
import { rowsOf } from './parse.ts'

/** Contract: `MessageText` of the SDK. */
export const messageText: MessageText = {
  pieces(markdown, limits) {
    const packer = new Packer(limits)
    for (const row of rowsOf(markdown)) packer.add(row)
    return packer.end()
  },
  plain(markdown) {
    const lines = rowsOf(markdown).map((row) => {
      const words = row.kind === 'code' ? row.text : row.runs.map(({ text }) => text).join('')
      return row.gap ? `\n${words}` : words
    })
    return lines.join('\n').trim()
  },
}
