/** The services behind tools that can be chosen: who searches the web, and where commands run. */
import type { CliContext, PluginContext } from 'svc/sdk'
import type { ConfigEdit } from 'svc/sdk/host'
import { ShellBackends } from 'svc/sdk/shell'
import { WebSearchProviders } from 'svc/sdk/web'

/** A backend and whether it could be used. */
interface Backend {
  readonly name: string
  readonly detail: string
  readonly ready: boolean
}

/** Lets a person choose; undefined when nothing was chosen. An empty value leaves the choice to svc. */
export async function chooseWeb(ctx: PluginContext<undefined>, io: CliContext): Promise<ConfigEdit | undefined> {
  const found = ctx
    .all(WebSearchProviders)
    .all()
    .map((backend) => createBackend(backend.name, backend.label, backend.missing()))
  const automatic = { name: 'auto', detail: 'the first that can be used', ready: true }
  const chosen = await choose(io, 'web backend', [automatic, ...found])
  if (!chosen) return undefined
  return { path: 'web.backend', value: chosen === automatic ? undefined : chosen.name }
}

/** Lets a person choose where commands run; undefined when nothing was chosen. Whether it works shows at the first command. */
export async function chooseTerminal(ctx: PluginContext<undefined>, io: CliContext): Promise<ConfigEdit | undefined> {
  const found = ctx
    .all(ShellBackends)
    .all()
    .map(({ name }) => createBackend(name, '', undefined))
  const chosen = await choose(io, 'terminal backend', found)
  return chosen && { path: 'terminal.backend', value: chosen.name }
}

function createBackend(name: string, label: string, missing: string | undefined): Backend {
  return { name, detail: missing === undefined ? label : `${label}: ${missing}`, ready: missing === undefined }
}

async function choose(io: CliContext, what: string, backends: readonly Backend[]): Promise<Backend | undefined> {
  if (backends.length === 0) {
    io.out(`No loaded plugin brings a ${what}.\n`)
    return undefined
  }
  for (const [at, { name, detail, ready }] of backends.entries())
    io.out(`${`  ${at + 1} ${ready ? '+' : '-'} ${name.padEnd(12)} ${detail}`.trimEnd()}\n`)
  const typed = (await io.ask(`${what} (number or name, Enter leaves it): `))?.trim() ?? ''
  const chosen = backends.find(({ name }, at) => typed === String(at + 1) || typed === name)
  if (!chosen && typed !== '') io.out(`There is no ${what} "${typed}".\n`)
  if (chosen && !chosen.ready) io.out(`${chosen.name} cannot be used yet: ${chosen.detail}.\n`)
  return chosen
}
