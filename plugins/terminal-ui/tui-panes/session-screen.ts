/** `session`: what is known of this session. */
import { createTranslator, errorMessage, Models, type PluginContext, type SessionSummary, Sessions } from 'svc/sdk'
import { formatCount, formatUsd, type OverlayView, TextLayout, type TuiContext } from 'svc/sdk/terminal'
import { List } from './list.ts'
import { listScreen } from './list-screen.ts'
import { folderText, localTime, matches, toPlainLine } from './text.ts'

interface Fact {
  readonly label: string
  readonly value: string
}

const WIDEST_LABEL = 18

export function sessionScreen(ctx: PluginContext<undefined>, ui: TuiContext): OverlayView {
  const t = createTranslator(ctx)
  const layout = ctx.use(TextLayout)
  const model = modelNow(ui)
  let facts = collectFacts(ctx, ui, model)
  const list = new List<Fact>(
    layout,
    {
      title: t('This session'),
      items: (filter) => facts.filter(({ label, value }) => matches(`${label} ${value}`.toLowerCase(), filter.trim())),
      id: ({ label }) => label,
      row: ({ label, value }, width) => ({
        left: [
          ...layout.pad([{ text: label, role: 'dim' }], Math.min(WIDEST_LABEL, Math.floor(width / 2))),
          { text: ` ${value}` },
        ],
      }),
      details: (fact, { width }) => (fact ? layout.wrap([{ text: fact.value }], width) : []),
      empty: () => t('Nothing found'),
    },
    'list',
  )
  if (model === undefined)
    chosenModel(ctx)
      .then((chosen) => {
        facts = collectFacts(ctx, ui, chosen)
        list.changed()
        ui.redraw()
      })
      .catch((error: unknown) => ctx.log.debug(`no model is chosen: ${errorMessage(error)}`, { error }))
  return listScreen<Fact>({ list, keys: () => t('/ filter · Esc close'), key: () => 'ignored' })
}

function collectFacts(ctx: PluginContext<undefined>, { conversation }: TuiContext, model?: string): readonly Fact[] {
  const t = createTranslator(ctx)
  const { sessionId, cwd, settings } = conversation
  const summary = findSummary(ctx, sessionId, cwd)
  const { usage = {} } = summary ?? {}
  const layout = ctx.use(TextLayout)
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t('Title'), summary?.title],
    [t('Id'), sessionId],
    [t('Folder'), folderText(layout, cwd)],
    [t('Model'), model],
    [t('Reasoning'), settings.reasoning],
    [t('Toolsets'), settings.toolsets?.join(', ')],
    [t('Begun'), summary && localTime(summary.createdAt)],
    [t('Last used'), summary && localTime(summary.updatedAt)],
    [t('Messages'), summary && String(summary.messageCount)],
    [t('Tokens read'), usage.input === undefined ? undefined : formatCount(usage.input)],
    [t('Tokens written'), usage.output === undefined ? undefined : formatCount(usage.output)],
    [t('Cost'), usage.costUsd === undefined ? undefined : formatUsd(usage.costUsd)],
    [t('Branched off'), summary?.parent],
  ]
  return facts.flatMap(([label, value]) => (value ? [{ label, value: toPlainLine(layout, value) }] : []))
}

/** There is no way to ask for one, but those of a folder are few. */
function findSummary(ctx: PluginContext<undefined>, id: string, cwd: string): SessionSummary | undefined {
  const all = ctx.use(Sessions).list({ cwd, limit: Number.MAX_SAFE_INTEGER })
  return all.find((session) => session.id === id)
}

function modelNow({ conversation: { settings } }: TuiContext): string | undefined {
  return settings.model === undefined ? undefined : [settings.provider, settings.model].filter(Boolean).join('/')
}

async function chosenModel(ctx: PluginContext<undefined>): Promise<string | undefined> {
  const choice = await ctx.find(Models)?.choose()
  return choice && `${choice.provider.name}/${choice.model}`
}
