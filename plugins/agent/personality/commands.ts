/** `/personality`: shows the manners and chooses one, for this conversation and later ones. */
import { createTranslator, type PluginContext, Sessions, type SlashCommand } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import type { Config } from './config.ts'
import { MANNERS, NEUTRAL } from './manners.ts'

/** The manner in force; a change counts at once. */
export class Manner {
  #current: string
  readonly #custom: Config['custom']

  constructor({ current, custom }: Config) {
    this.#current = current
    this.#custom = custom
  }

  get current(): string {
    return this.#current
  }

  set current(name: string) {
    this.#current = name
  }

  get names(): readonly string[] {
    return [...new Set([...Object.keys(MANNERS), ...Object.keys(this.#custom)])]
  }

  /** The instructions for the agent; undefined for none. */
  get text(): string | undefined {
    if (Object.hasOwn(this.#custom, this.#current)) return this.#custom[this.#current]
    return Object.hasOwn(MANNERS, this.#current) ? MANNERS[this.#current] : undefined
  }
}

export function personalityCommand(ctx: PluginContext<Config>, manner: Manner): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'personality',
    description: 'Choose the personality of the agent',
    category: 'Configuration',
    argsHint: '[name|none]',
    async run(args, { conversation }) {
      const wanted = args.toLowerCase()
      if (!wanted)
        return t('It is {name}. There are: {names}, none.', { name: manner.current, names: manner.names.join(', ') })
      const isNone = NEUTRAL.includes(wanted)
      const name = isNone ? 'none' : manner.names.find((each) => each.toLowerCase() === wanted)
      if (!name)
        return t('There is no personality {name}. There are: {names}.', { name: args, names: manner.names.join(', ') })
      manner.current = name
      const value = isNone ? undefined : name
      await ctx
        .use(ConfigFile)
        .write([{ path: 'personality.current', value }], { author: 'personality', reason: '/personality' })
      ctx.use(Sessions).open(conversation.sessionId).renewSystemPrompt()
      return t('{name}, from your next message on. Take it back with svc config undo.', { name })
    },
    async complete(args) {
      const names = ['none', ...manner.names].filter((name) => name.startsWith(args.toLowerCase()))
      return names.map((text) => ({ text, from: 0, ...(MANNERS[text] && { detail: MANNERS[text] }) }))
    },
  }
}
