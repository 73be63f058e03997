/** Calls of tools in the form of the protocol: kinds, places in files, contents. */
import { resolve } from 'node:path'
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { type PluginContext, Secrets, type ToolActions, Tools } from 'svc/sdk'
import { fenced, findView, formatCall, type TrackedCall } from 'svc/sdk/kit/views'
import { maskToolInput, type ToolCallDisplay, ToolRenderers } from 'svc/sdk/terminal'
import type { FileChange } from './file-changes.ts'

const MAX_TITLE = 200

/** What an editor is told of a call before it runs. */
export interface CallSubject {
  readonly kind: ToolKind
  readonly locations: ToolCallLocation[]
}

export class ToolCallFormat {
  readonly #ctx: PluginContext<undefined>

  constructor(ctx: PluginContext<undefined>) {
    this.#ctx = ctx
  }

  title(tracked: TrackedCall): string {
    return this.#mask(formatCall(tracked, this.#view(tracked.call.name), { most: MAX_TITLE }).trim())
  }

  input(input: unknown): unknown {
    return maskToolInput(input, (text) => this.#mask(text))
  }

  /** What the call would do, as its tool says. Never rejects: a tool that cannot say it is of the kind `other`. */
  async subject(
    { name, input }: ToolCallDisplay,
    place: { readonly cwd: string; readonly sessionId: string },
  ): Promise<CallSubject> {
    const tool = this.#ctx.all(Tools).get(name)
    if (!tool) return { kind: 'other', locations: [] }
    let acts: ToolActions = {}
    try {
      const parsed = await tool.input['~standard'].validate(structuredClone(input))
      if (!parsed.issues) acts = (await tool.acts?.(parsed.value, place)) ?? {}
    } catch (error) {
      this.#ctx.log.debug('a tool did not say what a call would do', { tool: name, error })
    }
    const isHere = acts.environment === undefined
    const files = isHere ? [...(acts.writes ?? []), ...(acts.reads ?? [])] : []
    const locations = files.map((path) => ({ path: resolve(place.cwd, acts.cwd ?? '.', path) }))
    return { kind: getKind(acts, tool), locations }
  }

  /** What is seen of a call: the files that it changed, else what its view shows. */
  content(call: ToolCallDisplay, changes: readonly FileChange[] = []): ToolCallContent[] {
    const failed = call.state === 'failed'
    if (changes.length > 0 && !failed) return changes.map(toDiff)
    const view = this.#view(call.name)
    const body = view ? view.body?.(call) : call.text === undefined ? undefined : { kind: 'text', text: call.text }
    const said = body ?? (failed && call.text ? { kind: 'text', text: call.text } : undefined)
    if (said === undefined || said.text.trim() === '') return changes.map(toDiff)
    const text = said.kind === 'markdown' ? said.text : fenced(said.text, said.kind === 'diff' ? 'diff' : '')
    return [{ type: 'content', content: { type: 'text', text: this.#mask(text) } }, ...changes.map(toDiff)]
  }

  #view(name: string) {
    return findView({ tools: this.#ctx.all(Tools), views: this.#ctx.all(ToolRenderers) }, name)
  }

  #mask(text: string): string {
    return this.#ctx.use(Secrets).mask(text)
  }
}

/** Where the first changed line is, so that an editor can follow. */
export function toLocation({ path, before = '', after }: FileChange): ToolCallLocation {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const changed = now.findIndex((line, at) => line !== old[at])
  return { path, line: changed < 0 ? now.length : changed + 1 }
}

function toDiff({ path, before, after }: FileChange): ToolCallContent {
  return { type: 'diff', path, newText: after, ...(before !== undefined && { oldText: before }) }
}

function getKind(acts: ToolActions, { reach, effect }: { readonly reach?: string; readonly effect: string }): ToolKind {
  if (acts.command !== undefined) return 'execute'
  if (acts.writes?.length) return 'edit'
  if (acts.reads?.length) return 'read'
  if (reach === 'network') return 'fetch'
  if (reach === 'nothing') return 'think'
  return reach === 'machine' && effect === 'pure' ? 'read' : 'other'
}
