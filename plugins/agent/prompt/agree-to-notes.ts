/** Notes of a new folder are shown to the model once the user has agreed to their text. */
import { type PluginContext, type PromptContext, Secrets, type TurnContext, type TurnEventData } from 'svc/sdk'
import { People } from 'svc/sdk/host'
import type { Config } from './config.ts'
import { isBelow, type NotesFile, TrustStore } from './trust.ts'

/** Without an answer until then the notes are left out. */
const AGREE_MS = 600_000

/** The start of a conversation; without `occasion` no person is asked. */
export type At = TurnContext & { readonly occasion?: PromptContext }

/** The paths of those files that the model may see. */
export async function agreedNotes(
  ctx: PluginContext<Config>,
  files: readonly NotesFile[],
  at: At,
): Promise<ReadonlySet<string>> {
  const store = openTrustStore(ctx)
  const found = await Promise.all(
    files.map(async (file) => {
      const known = (await isBelow(file.path, ctx.config.trust)) ? 'trusted' : await store.find(file)
      return { file, known }
    }),
  )
  const open = found.flatMap(({ file, known }) => (known === 'trusted' ? [] : [{ file, before: known?.before }]))
  const trusted = found.filter(({ known }) => known === 'trusted').map(({ file }) => file.path)
  if (open.length > 0 && (await ask(ctx, open, at))) {
    await store.agree(open.map(({ file }) => file))
    trusted.push(...open.map(({ file }) => file.path))
  }
  return new Set(trusted)
}

/** What the user has agreed to so far. */
export function openTrustStore(ctx: PluginContext<Config>): TrustStore {
  return new TrustStore(ctx.dataDir)
}

interface Open {
  readonly file: NotesFile
  /** The text that was agreed to, when it was another one. */
  readonly before: string | undefined
}

async function ask(ctx: PluginContext<Config>, open: readonly Open[], at: At): Promise<boolean> {
  const { occasion, sessionId, turnId, cwd } = at
  if (!occasion) return false
  const texts = await Promise.all(open.map(describeChange))
  const turn = { turnId, signal: occasion.signal, emit: (event: TurnEventData) => occasion.emit(event) }
  const answer = await ctx
    .find(People)
    ?.of(sessionId, { turn })
    .choose(
      {
        title: ctx
          .use(Secrets)
          .mask(`Notes for agents in ${cwd} that you have not agreed to:\n\n${texts.join('\n\n')}`),
        items: [
          { id: 'agree', label: 'Tell them to the model' },
          { id: 'refuse', label: 'Leave them out' },
        ],
      },
      { timeoutMs: AGREE_MS },
    )
  if (answer === 'agree') return true
  const names = open.map(({ file, before }) => `${file.shown}${before === undefined ? '' : ' (changed)'}`).join(', ')
  const how = `To agree to them: svc prompt trust ${JSON.stringify(cwd)}`
  occasion.emit({ type: 'notice', text: `Project notes are left out of this conversation: ${names}. ${how}` })
  return false
}

/** The whole text, or what has changed in it. */
export async function describeChange({ file: { path, text }, before }: Open): Promise<string> {
  if (before === undefined) return `${path}:\n${text}`
  const { createTwoFilesPatch } = await import('diff')
  return createTwoFilesPatch(path, path, before, text, 'agreed to', 'now')
}
