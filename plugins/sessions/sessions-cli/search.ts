/** `svc sessions search`: messages with all of the words. */
import { type CliArguments, type CliContext, type Message, type PluginContext, Sessions, SvcError } from 'svc/sdk'
import { formatMoment, paint, printJson, printParts, safeLine } from 'svc/sdk/kit/terminal'
import { createFilter } from './filter.ts'
import { textOption } from './text.ts'

const roles: readonly string[] = ['user', 'assistant', 'tool', 'system'] satisfies Message['role'][]

/** Matches are highlighted if there are colours; otherwise the marks are removed. */
function highlightMatches(snippet: string, io: CliContext): string {
  return snippet.replace(/>>>([\s\S]*?)<<</g, (_, found: string) => paint(io, 'bold', found))
}

export async function search(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const role = textOption(input, 'role')
  if (role !== undefined && !roles.includes(role))
    throw new SvcError('CLI_USAGE', `--role is "${safeLine(role)}"; it must be one of ${roles.join(', ')}.`)
  const query = input.args.join(' ')
  const hits = ctx.use(Sessions).search(query, {
    ...createFilter(ctx, input, io),
    ...(role !== undefined && { role: role as Message['role'] }),
  })
  if (input.options['json'] === true) {
    printJson(io, hits)
    return 0
  }
  const lines = hits.map(({ sessionId, title, at, role, messageIndex, snippet }) => {
    const place = `${safeLine(sessionId)}  ${formatMoment(at)}  ${role} (message ${messageIndex + 1})`
    return `${paint(io, 'bold', safeLine(title ?? '-'))}  ${paint(io, 'dim', place)}\n  ${highlightMatches(safeLine(snippet), io)}\n`
  })
  await printParts(io, lines)
  if (hits.length === 0) io.err(`Nothing was found for: ${safeLine(query)}\n`)
  return 0
}
