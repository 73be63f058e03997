/** Keeps the screens and widgets of views in step with the plugins that bring them. */
import { createTranslator, type PluginContext, type Registration } from 'svc/sdk'
import { isViewBlocks, type SharedView, SharedViews } from 'svc/sdk/dashboard'
import { Overlays, type StyledLine, TextLayout, Widgets } from 'svc/sdk/terminal'
import { formatBlocks } from './format-blocks.ts'
import { openScreen } from './screen.ts'

type Context = PluginContext<undefined>

/** Those at places of the web UI alone are left out. Returns what compares with the views that there are now. */
export function followViews(ctx: Context): () => void {
  const shown = new Map<SharedView, Registration>()
  return () => {
    const views = new Set(ctx.all(SharedViews).all())
    for (const [view, registration] of shown) {
      if (views.has(view)) continue
      shown.delete(view)
      void registration()
    }
    for (const view of views) {
      const registration = shown.has(view) ? undefined : show(ctx, view)
      if (registration) shown.set(view, registration)
    }
  }
}

function show(ctx: Context, view: SharedView): Registration | undefined {
  const { name, title, place, order, onChange } = view
  const shared = { name: `view-${name}`, ...(order !== undefined && { order }) }
  const draw = (sessionId: string, width: number) => drawView(ctx, view, { sessionId, width })
  if (place === 'page')
    return ctx.add(Overlays, {
      ...shared,
      title,
      open: (ui) =>
        openScreen(ui, {
          draw: (width) => draw(ui.conversation.sessionId, width),
          onChange: onChange?.bind(view),
          keys: createTranslator(ctx)('Up, Down scroll · Esc close'),
        }),
    })
  if (place !== 'composer' && place !== 'sidebar') return undefined
  return ctx.add(Widgets, {
    ...shared,
    place: place === 'composer' ? 'above' : 'footer',
    lines: ({ sessionId }, { width, rows }) => draw(sessionId, width).slice(0, rows),
    ...(onChange && { onChange: onChange.bind(view) }),
  })
}

/** The lines of a view. One that fails is a line that names its plugin, which is charged with the failure. */
function drawView(
  ctx: Context,
  view: SharedView,
  { sessionId, width }: { readonly sessionId: string; readonly width: number },
): readonly StyledLine[] {
  const all = ctx.all(SharedViews)
  const blocks = all.attempt(view, () => view.blocks({ sessionId }), isViewBlocks)
  if (blocks) return formatBlocks(ctx.use(TextLayout), blocks, width)
  const t = createTranslator(ctx)
  const text = t('{title}: the plugin {name} failed here.', { title: view.title, name: all.owner(view.name) ?? '' })
  return [ctx.use(TextLayout).cut([{ text, role: 'error' }], width)]
}
