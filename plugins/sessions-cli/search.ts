/** `svc sessions search`: messages with all of the words. */
import { type CliInput, type CliIo, type Message, type PluginContext, Sessions, SvcError } from 'svc/sdk'
import { filterOf } from './filter.ts'
import { moment, paint, plain, printJson, textOption } from './text.ts'

const roles: readonly string[] = ['user', 'assistant', 'tool', 'system'] satisfies Message['role'][]

/** What was found stands out where there are colours; elsewhere the marks would be in the way. */
function marked(snippet: string, io: CliIo): string {
  return snippet.replace(/>>>([\s\S]*?)<<</g, (_, found: string) => paint(io, 'bold', found))
}

export async function search(ctx: PluginContext<undefined>, input: CliInput, io: CliIo): Promise<number> {
  const role = textOption(input, 'role')
  if (role !== undefined && !roles.includes(role))
    throw new SvcError('CLI_USAGE', `--role is "${plain(role)}"; it must be one of ${roles.join(', ')}.`)
  const query = input.args.join(' ')
  const hits = ctx.use(Sessions).search(query, {
    ...filterOf(ctx, input, io),
    ...(role !== undefined && { role: role as Message['role'] }),
  })
  if (input.options['json'] === true) {
    printJson(io, hits)
    return 0
  }
  for (const { sessionId, title, at, role, messageIndex, snippet } of hits) {
    const place = `${plain(sessionId)}  ${moment(at)}  ${role} (message ${messageIndex + 1})`
    io.out(`${paint(io, 'bold', plain(title ?? '-'))}  ${paint(io, 'dim', place)}\n  ${marked(plain(snippet), io)}\n`)
  }
  if (hits.length === 0) io.err(`Nothing was found for: ${plain(query)}\n`)
  return 0
}
