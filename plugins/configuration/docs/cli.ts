/** `svc docs`. */
import type { CliCommand, PluginContext } from 'svc/sdk'
import { formatColumns, hasFlag, paint, printJson, safeBlock } from 'svc/sdk/kit/terminal'
import type { DocumentEntry } from './documents.ts'

export function docsCommand(ctx: PluginContext<undefined>): CliCommand {
  return {
    name: 'docs',
    description: 'Show the documentation of svc or of a plugin, as Markdown. Without a name it lists what there is.',
    arguments: '[name]',
    options: [{ flags: '--json', description: 'As JSON' }],
    examples: ['docs', 'docs svc', 'docs platform-telegram', 'docs cron | less'],
    async run(input, io) {
      const { listDocuments, readDocument } = await import('./documents.ts')
      const [wanted] = input.args
      const isJson = hasFlag(input, 'json')
      if (wanted === undefined) {
        const documents = listDocuments(ctx)
        if (isJson) printJson(io, { documents })
        else for (const line of formatColumns(documents.map(toRow))) io.out(`${line}\n`)
        return 0
      }
      const document = readDocument(ctx, wanted)
      if (isJson) printJson(io, document)
      else io.out(`${paint(io, 'bold', document.name)}\n\n${safeBlock(document.text)}\n`)
      return 0
    },
  }
}

const toRow = ({ name, kind, description }: DocumentEntry) => [name, kind, description]
