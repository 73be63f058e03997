/** The browser tools, as the model is told of them. Their work is imported when it is first used. */
import { defineTool, type Schema, type Tool, type ToolContext, type ToolEffect, type ToolResult } from 'svc/sdk'
import { z } from 'zod'
import type { BrowserDeps } from './actions.ts'
import { browserView } from './view.ts'

type Actions = typeof import('./actions.ts')
type Make = <Input>(
  name: string,
  description: string,
  effect: ToolEffect,
  input: Schema<Input>,
  run: (to: Actions, input: Input, turn: ToolContext) => Promise<ToolResult>,
) => Tool

const ref = z.string().describe('@e1 of a snapshot')
const nothing = z.object({})
const clear = z.boolean().optional()

/** Makes them all. `mayEvaluate`: the console takes expressions. */
export function browserTools(deps: BrowserDeps, options: { readonly mayEvaluate: boolean }): readonly Tool[] {
  const make: Make = (name, description, effect, input, run) =>
    defineTool({
      name: `browser_${name}`,
      description,
      input,
      effect,
      toolset: 'browser',
      reach: 'network',
      untrusted: true,
      acts: () => ({ writes: [] }),
      view: browserView,
      missing: () => deps.browser().missing(),
      run: async (request, turn) => run(await import('./actions.ts'), request, turn),
    })
  const readConsole = options.mayEvaluate ? evaluatingConsole(make, deps) : plainConsole(make, deps)
  return [...pageTools(make, deps), ...lookingTools(make, deps), ...actingTools(make, deps), readConsole]
}

function pageTools(make: Make, deps: BrowserDeps): Tool[] {
  const page = z.object({ url: z.string() })
  const direction = z.enum(['up', 'down'])
  return [
    make('navigate', 'Open a web page; returns a snapshot.', 'idempotent', page, (to, input, turn) =>
      to.navigate(input, turn, deps),
    ),
    make('back', 'Go back, or close a new tab.', 'once', nothing, (to, _, turn) => to.back(turn, deps)),
    make('scroll', 'Scroll the page.', 'idempotent', z.object({ direction }), (to, input, turn) =>
      to.scroll(input, turn, deps),
    ),
  ]
}

function lookingTools(make: Make, deps: BrowserDeps): Tool[] {
  const part = z.object({
    full: z.boolean().optional().describe('all text'),
    from: z.number().int().nonnegative().optional(),
  })
  const look = z.object({
    question: z.string().optional(),
    annotate: z.boolean().optional().describe('draw refs'),
    share: z.boolean().optional().describe('for the user, too'),
  })
  return [
    make('snapshot', 'The page as text, with refs of what can be acted on.', 'pure', part, (to, input, turn) =>
      to.snapshot(input, turn, deps),
    ),
    make('get_images', 'Addresses of the images of the page.', 'pure', nothing, (to, _, turn) => to.images(turn, deps)),
    make('vision', 'Look at a picture of the page.', 'pure', look, (to, input, turn) => to.vision(input, turn, deps)),
  ]
}

function actingTools(make: Make, deps: BrowserDeps): Tool[] {
  const field = z.object({ ref, text: z.string() })
  const answer = z.object({ action: z.enum(['accept', 'dismiss']), prompt_text: z.string().optional() })
  return [
    make('click', 'Click an element.', 'once', z.object({ ref }), (to, input, turn) => to.clickOn(input, turn, deps)),
    make('type', 'Replace the text of a field, or choose from a list.', 'once', field, (to, input, turn) =>
      to.typeInto(input, turn, deps),
    ),
    make('press', 'Press a key: Enter, Tab, Control+a.', 'once', z.object({ key: z.string() }), (to, input, turn) =>
      to.press(input, turn, deps),
    ),
    make('dialog', 'Answer a dialog of the page.', 'once', answer, (to, input, turn) => to.dialog(input, turn, deps)),
  ]
}

function plainConsole(make: Make, deps: BrowserDeps): Tool {
  return make('console', 'What the page wrote to its console.', 'pure', z.object({ clear }), (to, input, turn) =>
    to.readConsole(input, turn, deps),
  )
}

function evaluatingConsole(make: Make, deps: BrowserDeps): Tool {
  const input = z.object({ clear, expression: z.string().optional().describe('JavaScript to evaluate') })
  return make('console', 'What the page wrote to its console.', 'once', input, (to, request, turn) =>
    to.readConsole(request, turn, deps),
  )
}
