/** `svc sessions stats`: what is stored. */
import { type CliArguments, type CliContext, type PluginContext, Sessions } from 'svc/sdk'
import { formatCount, formatMegabytes, formatMoment, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { costText } from './text.ts'

export async function stats(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<void> {
  const found = ctx.use(Sessions).stats()
  if (input.options['json'] === true) return printJson(io, found)
  const { sessions, messages, usage, bytes, surfaces, oldest, newest } = found
  io.out(`${formatCount(sessions, 'conversation')}, ${formatCount(messages, 'message')}, ${formatMegabytes(bytes)}\n`)
  if (oldest !== undefined && newest !== undefined) io.out(`From ${formatMoment(oldest)} to ${formatMoment(newest)}\n`)
  const counts = Object.entries({
    input: usage.input,
    'of it cached': usage.cachedInput,
    'of it written to a cache': usage.cacheWriteInput,
    output: usage.output,
    'of it reasoning': usage.reasoning,
  }).flatMap(([name, count]) => (count === undefined ? [] : [`${name} ${count.toLocaleString('en-US')}`]))
  if (counts.length) io.out(`Tokens, as far as reported: ${counts.join(', ')}\n`)
  const cost = costText(usage)
  if (cost) io.out(`Cost: ${cost}\n`)
  for (const each of surfaces)
    io.out(
      `  ${safeLine(each.surface).padEnd(12)} ${formatCount(each.sessions, 'conversation')}, ${formatCount(each.messages, 'message')}\n`,
    )
}
