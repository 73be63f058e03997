/** `/snapshot`: the state of the home as it is now, and earlier ones. */
import type { CommandContext, PluginContext, SlashCommand, Translate } from 'svc/sdk'
import type { Snapshots } from 'svc/sdk/operations'

/** The snapshot that is restored when this process ends. */
export interface Pending {
  id: string | undefined
  /** Whether the end of the process is waited for. */
  isListening: boolean
}

export interface SlashDeps {
  bring(): Promise<Snapshots>
  readonly pending: Pending
  readonly t: Translate
}

const VERBS = ['list', 'create', 'restore', 'prune', 'cancel']

export function createSnapshotSlash(ctx: PluginContext<undefined>, { bring, pending, t }: SlashDeps): SlashCommand {
  return {
    name: 'snapshot',
    aliases: ['snap'],
    description: 'Take and restore snapshots of the state of svc: settings, keys, memories, sessions',
    category: 'Session',
    argsHint: '[list|create [label]|restore number|cancel|prune [count]]',
    subcommands: VERBS,
    surfaces: ['cli'],
    async run(args, at) {
      const [verb = 'list', ...words] = args.split(/\s+/).filter((word) => word !== '')
      if (!VERBS.includes(verb)) return t('Type /snapshot list, create, restore, cancel or prune.')
      const { createSlash } = await import('./slash-verbs.ts')
      return createSlash(ctx, { snapshots: await bring(), pending, t })[verb as Verb](words, at)
    },
    async complete(args, at) {
      if (!/^restore\s/.test(args)) return []
      return (await (await bring()).list(at.signal)).map(({ id }) => id)
    },
  }
}

export type Verb = 'list' | 'create' | 'restore' | 'prune' | 'cancel'
export type SlashRun = (words: readonly string[], at: CommandContext) => Promise<string>
