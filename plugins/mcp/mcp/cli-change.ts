/** `svc mcp add`, `remove`, `login` and `logout`. */
import { type CliArguments, type CliContext, confirmCommand, errorMessage, SvcError } from 'svc/sdk'
import { hasFlag, printJson, safeBlock, safeLine } from 'svc/sdk/kit/terminal'
import type { McpPicker, McpServers } from 'svc/sdk/mcp'
import { printOffer } from './cli-read.ts'

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PAT|CREDENTIALS?|AUTH|COOKIE)$/i
const BY = { author: 'mcp', reason: 'svc mcp' }

export async function add(servers: McpServers, input: CliArguments, io: CliContext): Promise<number> {
  const [name = '', ...command] = input.args
  const settings = readSettings(command, input.options)
  const problems = servers.check(name, settings)
  if (problems.length > 0) throw new SvcError('MCP_REFUSED', `The server was not added. ${problems.join(' ')}`)
  const question = `There is an MCP server "${name}" already. Replace its settings?`
  if (servers.get(name) && !(await confirmCommand(io, question, input.options))) return 1
  await servers.save(name, settings, BY)
  const isJson = hasFlag(input, 'json')
  if (!isJson) io.out(`Added ${safeLine(name)} to config.yaml.\n`)
  if (input.options['test'] === false) {
    if (isJson) printJson(io, { name, added: true })
    return 0
  }
  if (!isJson && io.interactive) io.err('Asking it for its tools...\n')
  try {
    const offer = await servers.probe(name, io.signal)
    if (isJson) printJson(io, { name, added: true, ok: true, tools: offer.tools.map((tool) => tool.name) })
    else printOffer(name, offer, io)
    return 0
  } catch (error) {
    io.signal.throwIfAborted()
    if (isJson) printJson(io, { name, added: true, ok: false, error: errorMessage(error) })
    else io.err(`${safeBlock(errorMessage(error))}\nIt stays in config.yaml; \`svc mcp test ${name}\` tries again.\n`)
    return 1
  }
}

function readSettings(command: readonly string[], options: CliArguments['options']): Record<string, unknown> {
  const text = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined)
  const [program, ...args] = command
  const env = Object.fromEntries(toList(options['env']).map(readVariable))
  const headers = Object.fromEntries(toList(options['header']).map(readHeader))
  const include = text('include')
  const timeout = text('connectTimeout')
  if (timeout !== undefined && !/^\d+(\.\d+)?$/.test(timeout))
    throw new SvcError('MCP_USAGE', '--connect-timeout is a number of seconds.')
  return withoutUndefined({
    command: program,
    args: args.length > 0 ? args : undefined,
    url: text('url'),
    transport: text('transport'),
    auth: text('auth'),
    client_cert: text('clientCert'),
    client_key: text('clientKey'),
    connect_timeout: timeout === undefined ? undefined : Number(timeout),
    env: Object.keys(env).length > 0 ? env : undefined,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    tools: include === undefined ? undefined : { include: include.split(',').map((each) => each.trim()) },
  })
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function toList(value: CliArguments['options'][string]): readonly string[] {
  if (value === undefined || typeof value === 'boolean') return []
  return typeof value === 'string' ? [value] : value
}

/** Secrets are not typed on a command line, which the shell keeps, nor written into config.yaml. */
function readVariable(text: string): readonly [string, string] {
  const [, name = '', value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=([\s\S]*))?$/.exec(text) ?? []
  if (name === '') throw new SvcError('MCP_USAGE', `--env is NAME or NAME=value, not "${safeLine(text)}".`)
  if (value === undefined) return [name, `\${${name}}`]
  if (SECRET_NAME.test(name) && !value.includes('${'))
    throw new SvcError(
      'MCP_USAGE',
      `${name} looks like a secret. Set it with \`svc config set ${name}\`, and write --env ${name} here.`,
    )
  return [name, value]
}

function readHeader(text: string): readonly [string, string] {
  const [, name = '', value = ''] = /^([A-Za-z0-9-]+)\s*:\s*(.*)$/.exec(text) ?? []
  if (name === '') throw new SvcError('MCP_USAGE', '--header is "Name: value".')
  const isSecret = /^(?:proxy-)?authorization$|cookie|key|token|secret/i.test(name)
  if (isSecret && !value.includes('${'))
    throw new SvcError(
      'MCP_USAGE',
      `The header ${name} holds a secret. Keep it in .env, and write "${name}: \${NAME}" here.`,
    )
  return [name, value]
}

/** `picker` knows the files of an installation. */
export async function remove(
  servers: McpServers,
  picker: McpPicker | undefined,
  input: CliArguments,
  io: CliContext,
): Promise<number> {
  const name = input.args[0] as string
  if (!servers.get(name)) await servers.remove(name, BY)
  const folder = picker?.findInstalled(name)
  const files = folder === undefined ? '' : `, and the folder ${folder}`
  const question = `Remove the MCP server ${name} with its tokens and approvals${files}?`
  if (!(await confirmCommand(io, question, input.options))) return 1
  await servers.remove(name, BY)
  if (folder !== undefined) picker?.removeInstalled(name)
  if (hasFlag(input, 'json')) printJson(io, { name, removed: true, ...(folder !== undefined && { folder }) })
  else if (folder === undefined) io.out(`Removed ${safeLine(name)}. \`svc config undo\` brings its settings back.\n`)
  else io.out(`Removed ${safeLine(name)} and ${safeLine(folder)}. \`svc mcp install ${name}\` installs it again.\n`)
  return 0
}

export async function login(servers: McpServers, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0] as string
  await servers.login(name, {
    signal: io.signal,
    show: (url) => io.err(`Open this address in your browser and sign in:\n\n${safeLine(url)}\n\n`),
    ...(io.interactive && {
      ask: (signal: AbortSignal) => io.ask('Or paste the address that your browser was sent to: ', { signal }),
    }),
  })
  if (hasFlag(input, 'json')) printJson(io, { name, signedIn: true })
  else io.out(`Signed in to ${safeLine(name)}. \`svc mcp test ${name}\` shows what it offers.\n`)
  return 0
}

export async function logout(servers: McpServers, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0] as string
  if (!servers.get(name)) await servers.logout(name)
  if (!(await confirmCommand(io, `Forget the tokens of ${name}?`, input.options))) return 1
  const had = await servers.logout(name)
  if (hasFlag(input, 'json')) printJson(io, { name, signedOut: had })
  else io.out(had ? `The tokens of ${safeLine(name)} are gone.\n` : `There were no tokens of ${safeLine(name)}.\n`)
  return 0
}
