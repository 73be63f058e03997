/** `svc tools` on a terminal: a menu whose choices are written in one step when it is left. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { type ConfigEdit, ConfigFile, type ToolsetStatus, type ToolToggle } from 'svc/sdk/host'
import { chooseTerminal, chooseWeb } from './backends.ts'
import { toolsetLine } from './list.ts'
import { getToolsets, readSurface } from './names.ts'

const HELP = 'A number or name switches; w: web backend, t: terminal backend, s: save and leave, q: leave as it was.'

/** What a person has chosen so far. */
interface Choices {
  readonly switches: Map<string, ToolToggle['to']>
  readonly backends: Map<string, ConfigEdit>
}

/** Runs until it is saved or left. */
export async function menu(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const surface = await readSurface(ctx, input)
  const states = getToolsets(ctx).list(surface ?? 'cli')
  const choices: Choices = { switches: new Map(), backends: new Map() }
  io.out(`Toolsets ${surface === undefined ? 'everywhere, as the terminal has them' : `for ${surface}`}:\n`)
  for (;;) {
    show(states, choices, io)
    const typed = (await io.ask(`${HELP}\n> `))?.trim()
    if (typed === undefined || typed === 'q') return leave(choices, io)
    if (typed === 's') return save(ctx, surface, choices, io)
    if (typed === 'w') remember(await chooseWeb(ctx, io), choices)
    else if (typed === 't') remember(await chooseTerminal(ctx, io), choices)
    else if (typed !== '') toggle(typed, states, choices, io)
  }
}

function show(states: readonly ToolsetStatus[], { switches, backends }: Choices, io: CliContext): void {
  for (const [at, state] of states.entries()) {
    const to = switches.get(state.name)
    const line = to === undefined ? toolsetLine(state) : `${toolsetLine(applySwitch(state, to))}  [not saved yet]`
    io.out(`${String(at + 1).padStart(3)} ${line}\n`)
  }
  for (const { path, value } of backends.values()) io.out(`    ${path}: ${value ?? 'auto'}  [not saved yet]\n`)
}

/** As it will be once it is saved. */
function applySwitch({ because: _, tools, name }: ToolsetStatus, to: ToolToggle['to']): ToolsetStatus {
  const on = to === 'on'
  return { name, on, tools: tools.map((tool) => ({ ...tool, on })) }
}

function toggle(typed: string, states: readonly ToolsetStatus[], { switches }: Choices, io: CliContext): void {
  const state = states.find(({ name }, at) => name === typed || typed === String(at + 1))
  if (!state) io.out(`There is no toolset "${typed}".\n`)
  else if (switches.has(state.name)) switches.delete(state.name)
  else switches.set(state.name, state.on ? 'off' : 'on')
}

function remember(edit: ConfigEdit | undefined, { backends }: Choices): void {
  if (edit) backends.set(edit.path, edit)
}

function leave({ switches, backends }: Choices, io: CliContext): number {
  io.out(switches.size + backends.size > 0 ? 'Nothing was written.\n' : '')
  return 0
}

async function save(
  ctx: PluginContext<undefined>,
  surface: string | undefined,
  { switches, backends }: Choices,
  io: CliContext,
): Promise<number> {
  const wanted = [...switches].map(([name, to]) => ({ name, to }))
  const edits = [...getToolsets(ctx).edits(wanted, surface), ...backends.values()]
  const author = { author: 'tools-cli', reason: 'svc tools' }
  const change = edits.length > 0 ? await ctx.use(ConfigFile).write(edits, author) : undefined
  io.out(change ? 'Written. Take it back with `svc config undo`.\n' : 'There was nothing to write.\n')
  return 0
}
