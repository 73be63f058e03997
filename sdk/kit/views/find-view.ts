/** The view of a call: one that a plugin contributes, or the tool's own. */
import type { ContributionRegistry } from '../../plugin.ts'
import type { ToolRenderer } from '../../terminal-ui.ts'
import type { ToolCallDisplay, ToolCallView } from '../../tool-view.ts'
import type { Tool } from '../../tools.ts'
import { firstLine, head } from './text.ts'

/**
 * What a contributed view says, or else the view of the tool. What goes wrong in it is charged to its plugin.
 * @since 0.2
 */
export function findView(
  { tools, views }: { readonly tools: ContributionRegistry<Tool>; readonly views: ContributionRegistry<ToolRenderer> },
  name: string,
): ToolCallView | undefined {
  // By name, so that it does not matter which plugin was loaded first.
  const [contributed] = views
    .all()
    .filter((view) => view.tools.includes(name))
    .sort((one, two) => (one.name < two.name ? -1 : 1))
  if (contributed) return charged(contributed, contributed, views)
  const tool = tools.get(name)
  return tool?.view && withFailure(charged(tool, tool.view, tools))
}

/** It is as if a view that fails said nothing. */
function charged<T>(item: T, view: ToolCallView, items: ContributionRegistry<T>): ToolCallView {
  const isText = (value: unknown) => typeof value === 'string'
  const isPart = (value: unknown) => value === undefined || isText((value as { text?: unknown } | null)?.text)
  return {
    ...(view.counts && { counts: view.counts }),
    title: (call) => items.attempt(item, () => view.title(call), isText) ?? '',
    body: (call) => items.attempt(item, () => view.body?.(call), isPart),
    inline: (call) => items.attempt(item, () => view.inline?.(call), isPart),
  }
}

/** What goes wrong is shown by each tool in the same way: its first line always, all of it when unfolded. @since 0.2 */
export function withFailure(view: ToolCallView): ToolCallView {
  return {
    ...view,
    body: (call) => view.body?.(call) ?? plainBody(call),
    inline: (call) => (call.state === 'failed' ? (view.inline?.(call) ?? failure(call)) : view.inline?.(call)),
  }
}

function plainBody({ text, progress }: ToolCallDisplay) {
  const said = text ?? progress ?? ''
  return said.trim() === '' ? undefined : ({ kind: 'text', text: head(said) } as const)
}

function failure({ text = '' }: ToolCallDisplay) {
  const said = firstLine(text)
  return said === '' ? undefined : ({ kind: 'text', text: said } as const)
}
