/** `/compress`: its forms, and what is said of what was done. */
import { type CommandContext, errorMessage, type Logger, logFault, type SlashCommand, type Translate } from 'svc/sdk'
import type { CompactionOptions, CompactionResult } from 'svc/sdk/sessions'

const USUAL_KEEP = 2
const MAX_KEEP = 100
const PREVIEW = /(^|\s)--(?:preview|dry-?run)(?=\s|$)/gi
const AGGRESSIVE = /(^|\s)--aggressive(?=\s|$)/gi
const KEEP = /(?:^|\s)(?:--keep|-k)(?:(?:\s*=\s*|\s+)(-?\w[\w.]*))?(?=\s|$)/i
const HERE = /^(?:up\s+to\s+)?here(?:\s+(\S+))?$/i

/** What the text behind `/compress` asks for. Pure; every text asks for something. */
export function readCompress(args: string): CompactionOptions {
  const preview = args.search(PREVIEW) >= 0 ? { preview: true } : {}
  const rest = args.replace(PREVIEW, ' ').replace(AGGRESSIVE, ' ').trim()
  const flag = KEEP.exec(rest)
  if (flag) {
    // A word that is not a number belongs to the focus unless it looks like a mistyped number.
    const before = rest.slice(0, flag.index).trim()
    const focus = [before, rest.slice(flag.index + flag[0].length).trim()].filter((text) => text !== '').join(' ')
    const isPlain = focus === '' || HERE.test(focus)
    return { ...preview, keep: parseKeepCount(flag[1]), ...(!isPlain && { focus }) }
  }
  const here = HERE.exec(rest)
  if (here) return { ...preview, keep: parseKeepCount(here[1]) }
  return rest === '' ? preview : { ...preview, focus: rest }
}

function parseKeepCount(text: string | undefined): number {
  if (text === undefined || !/^-?\d+$/.test(text)) return USUAL_KEEP
  return Math.min(MAX_KEEP, Math.max(1, Number(text)))
}

/** Makes the command. `compress` throws what `Compression.compress` does. */
export function compressCommand(
  compress: (at: CommandContext, options: CompactionOptions) => Promise<CompactionResult>,
  { t, log }: { readonly t: Translate; readonly log: Logger },
): SlashCommand {
  return {
    name: 'compress',
    aliases: ['compact'],
    description: 'Summarize the older part of this conversation to free context',
    category: 'Session',
    argsHint: '[here [N] | focus | --preview]',
    subcommands: ['here', '--keep', '--preview'],
    needsIdle: true,
    async run(args, at) {
      const options = readCompress(args)
      try {
        const preview = await compress(at, { ...options, preview: true, signal: at.signal })
        if (preview.tokensAfter >= preview.tokensBefore)
          return t(
            'There is nothing to gain yet: the conversation has only about {tokensBefore} tokens.',
            sizes(preview),
          )
        const report = options.preview ? preview : await compress(at, { ...options, signal: at.signal })
        if (options.preview) return previewText(report, t)
        at.conversation.touched()
        return doneText(report, t)
      } catch (error) {
        logFault(log, '/compress failed', error)
        return t('Not compressed: {why}', { why: errorMessage(error) })
      }
    },
  }
}

function sizes({ messagesBefore, messagesAfter, tokensBefore, tokensAfter }: CompactionResult) {
  return { messagesBefore, messagesAfter, tokensBefore, tokensAfter }
}

function previewText(report: CompactionResult, t: Translate): string {
  return t(
    'It would go from {messagesBefore} to {messagesAfter} messages and from about {tokensBefore} to {tokensAfter} tokens. Nothing was changed.',
    sizes(report),
  )
}

function doneText(report: CompactionResult, t: Translate): string {
  const text = t(
    'Compressed from {messagesBefore} to {messagesAfter} messages and from about {tokensBefore} to {tokensAfter} tokens.',
    sizes(report),
  )
  return report.by === undefined ? text : `${text} ${t('Summarized by {who}.', { who: report.by })}`
}
