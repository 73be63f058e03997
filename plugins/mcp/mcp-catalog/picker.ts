/** `svc mcp` on a terminal: choose an entry or a server, and what to do with it, until it is left. */
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { safeLine } from 'svc/sdk/kit/terminal'
import { configure } from './configure.ts'
import { install } from './install.ts'
import { formatEntries, list, warn } from './list.ts'
import { type CatalogView, readView } from './rows.ts'
import { serverPath } from './server.ts'
import { uninstall } from './uninstall.ts'

type Context = PluginContext<undefined>

/** Exit code 0 when it is left. */
export async function pick(ctx: Context, io: CliContext): Promise<number> {
  if (!io.interactive) return list(ctx, { args: [], options: {} }, io)
  let view = await readView(ctx)
  warn(view, io)
  for (;;) {
    for (const [at, line] of formatEntries(view, io).entries()) io.out(`${String(at + 1).padStart(3)} ${line}\n`)
    const typed = (await io.ask('A number or a name, Enter to leave: '))?.trim()
    if (!typed || typed === 'q') return 0
    const choices = listChoices(view)
    const choice = choices.find(({ name }, at) => name === typed || String(at + 1) === typed)
    if (choice) await act(ctx, choice, io)
    else io.out(`There is nothing called ${safeLine(typed)}.\n`)
    view = await readView(ctx)
  }
}

interface Choice {
  readonly name: string
  /** Undefined: an entry that is not installed, or of which config.yaml has another server. */
  readonly enabled: boolean | undefined
}

/** In the order in which they are shown. */
function listChoices({ rows, custom }: CatalogView): readonly Choice[] {
  const entries = rows.map(({ manifest, state }) => {
    const enabled = state === 'enabled' ? true : state === 'disabled' ? false : undefined
    return { name: manifest.name, enabled }
  })
  return [...entries, ...custom]
}

/** What went wrong is shown, and another choice can be made. */
async function act(ctx: Context, { name, enabled }: Choice, io: CliContext): Promise<void> {
  const input: CliArguments = { args: [name], options: {} }
  try {
    if (enabled === undefined) {
      await install(ctx, input, io)
      return
    }
    const switched = enabled ? 'd: disable' : 'e: enable'
    const typed = (await io.ask(`${name}: c: choose tools, ${switched}, u: uninstall, Enter: back\n> `))
      ?.trim()
      .toLowerCase()
    if (typed === 'c') await configure(ctx, input, io)
    else if (typed === 'u') await uninstall(ctx, input, io)
    else if (typed === (enabled ? 'd' : 'e')) await setEnabled(ctx, name, !enabled, io)
  } catch (error) {
    if (!(error instanceof SvcError) || io.signal.aborted) throw error
    ctx.log.warn(`a choice of svc mcp failed for ${name}`, { error })
    io.err(`${error.message} (${error.code})\n`)
  }
}

async function setEnabled(ctx: Context, name: string, enabled: boolean, io: CliContext): Promise<void> {
  const word = enabled ? 'enabled' : 'disabled'
  const edit = { path: serverPath(name, 'enabled'), value: enabled }
  await ctx.use(ConfigFile).write([edit], { author: 'mcp-catalog', reason: `svc mcp: ${name} ${word}` })
  io.out(`${name} is ${word}.\n`)
}
