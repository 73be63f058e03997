/** `/save` and `/export`: the conversation as a file. */
import { resolve } from 'node:path'
import { type CommandContext, createTranslator, type PluginContext, Sessions, type SlashCommand } from 'svc/sdk'
import type { Format } from './export.ts'

const ENDINGS = ['md', 'html', 'jsonl'] as const

/** A title as the name of a file. */
function fileName(title = ''): string {
  const words = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')
  return words.slice(0, 50).replace(/^-+|-+$/g, '')
}

export function sessionFileCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  const save = async (name: string, ending: (typeof ENDINGS)[number], { conversation, cwd }: CommandContext) => {
    const { sessionId } = conversation
    const file = resolve(cwd, name || `${fileName(ctx.use(Sessions).summary(sessionId).title) || sessionId}.${ending}`)
    const asked = ENDINGS.find((each) => file.endsWith(`.${each}`)) ?? ending
    const { exportParts, loadFormat } = await import('./export.ts')
    const format = (await loadFormat(asked)) as Format
    const { writeNew } = await import('./file.ts')
    writeNew(file, exportParts(ctx, format, [sessionId]))
    return t('Written: {file}', { file })
  }
  return [
    {
      name: 'save',
      description: 'Save this conversation as a Markdown or HTML file',
      category: 'Session',
      argsHint: '[file.md|file.html]',
      surfaces: ['cli'],
      run: (name, at) => save(name, 'md', at),
    },
    {
      name: 'export',
      description: 'Export this conversation to a file that svc sessions import reads',
      category: 'Session',
      argsHint: '[file.jsonl]',
      surfaces: ['cli'],
      run: (name, at) => save(name, 'jsonl', at),
    },
  ]
}
