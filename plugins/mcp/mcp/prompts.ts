/** Prompts of servers as slash commands: `/mcp__server__prompt word "several words" name=value`. */
import type { CommandContext, SlashCommand, Translate } from 'svc/sdk'
import type { CommandProvider } from 'svc/sdk/host'
import { hasHiddenText, safeLine } from 'svc/sdk/kit/terminal'
import type { KeptPrompt } from './definitions.ts'
import { toToolName } from './names.ts'
import type { Server } from './server.ts'
import type { Servers } from './servers.ts'

type Fields = KeptPrompt['arguments']

export interface PromptDeps {
  /** Whether a server is enabled: where none is, nothing is read at a start. */
  readonly hasServers: boolean
  servers(): Servers
  readonly t: Translate
}

/** Those of the lists that were read last. Nothing starts before a person sends one. */
export function promptCommands(deps: PromptDeps): CommandProvider {
  return {
    name: 'mcp-prompts',
    commands: () =>
      (deps.hasServers ? deps.servers().all : [])
        .filter(
          ({ name, settings }) => settings.enabled && settings.tools.prompts && !deps.servers().attached.has(name),
        )
        .flatMap((server) => (server.record?.prompts ?? []).map((prompt) => toCommand(server, prompt, deps))),
    ...(deps.hasServers && { onChange: (listener: () => void) => deps.servers().onChange(listener) }),
  }
}

function toCommand(server: Server, prompt: KeptPrompt, deps: PromptDeps): SlashCommand {
  const { name, description, arguments: fields } = prompt
  const hint = fields.map((field) => (field.required ? `<${field.name}>` : `[${field.name}]`)).join(' ')
  return {
    name: toToolName(server.name, name),
    description: `${safeLine(description) || safeLine(name)} (MCP server ${server.name})`,
    category: 'Tools & Skills',
    ...(hint !== '' && { argsHint: safeLine(hint) }),
    run: (args, at) => send(server, prompt, args, at, deps),
    complete: (args, at) => complete(server, prompt, args, at, deps),
  }
}

async function send(
  server: Server,
  { name, arguments: fields }: KeptPrompt,
  args: string,
  { conversation, person, signal }: CommandContext,
  { servers, t }: PromptDeps,
): Promise<string | undefined> {
  const given = { ...readArguments(args, fields) }
  for (const field of fields.filter((each) => each.required && given[each.name] === undefined)) {
    const about = field.description === '' ? '' : ` (${safeLine(field.description)})`
    const answer = person.isReachable ? await person.ask(`${safeLine(field.name)}${about}`, { signal }) : undefined
    if (answer === undefined) return t('Nothing was sent: {name} is missing.', { name: safeLine(field.name) })
    given[field.name] = answer
  }
  const text = await servers().prompt(server.name, name, given, { signal })
  if (text.trim() === '') return t('Nothing was sent: the prompt is empty.')
  // The person could not see what they send.
  if (hasHiddenText(text)) return t('Nothing was sent: the prompt holds hidden characters.')
  conversation.send(text)
  return undefined
}

interface Word {
  readonly text: string
  /** As it was typed, in quotes or not. */
  readonly typed: string
}

function splitWords(args: string): readonly Word[] {
  return [...args.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(([typed, double, single, plain]) => ({
    typed,
    text: double?.replace(/\\(.)/g, '$1') ?? single ?? plain ?? '',
  }))
}

/** By name, or in their order; a prompt with one argument takes the whole line. */
export function readArguments(args: string, fields: Fields): Readonly<Record<string, string>> {
  const words = splitWords(args)
  const isNamed = ({ typed }: Word) => fields.some(({ name }) => typed.startsWith(`${name}=`))
  const [only] = fields
  if (only && fields.length === 1 && words.length > 1 && !words.some(isNamed)) return { [only.name]: args.trim() }
  const named = Object.fromEntries(
    words.filter(isNamed).map(({ text }) => {
      const at = text.indexOf('=')
      return [text.slice(0, at), text.slice(at + 1)] as const
    }),
  )
  const left = fields.filter(({ name }) => named[name] === undefined)
  const placed = words.filter((word) => !isNamed(word)).slice(0, left.length)
  return { ...named, ...Object.fromEntries(placed.map(({ text }, at) => [left[at]?.name ?? '', text])) }
}

/** Values that the server knows for the argument under the cursor. */
async function complete(
  server: Server,
  { name, arguments: fields }: KeptPrompt,
  args: string,
  { signal }: CommandContext,
  { servers }: PromptDeps,
): Promise<readonly string[]> {
  const last = /\S*$/.exec(args)?.[0] ?? ''
  const before = args.slice(0, args.length - last.length)
  const earlier = fields.length === 1 ? {} : readArguments(before, fields)
  const typed = fields.find((field) => last.startsWith(`${field.name}=`))
  const field = typed ?? fields.find((each) => earlier[each.name] === undefined)
  if (!field) return []
  const prefix = typed ? `${typed.name}=` : ''
  const argument = { name: field.name, value: last.slice(prefix.length) }
  const values = await servers().completePrompt(server, { prompt: name, argument, earlier }, signal)
  return values.filter((value) => /^[^\s"'\\]+$/.test(value) && !hasHiddenText(value)).map((value) => prefix + value)
}
