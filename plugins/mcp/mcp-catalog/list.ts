/** `svc mcp catalog`: the entries, and what config.yaml has of them. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { formatColumns, hasFlag, paint, printJson, safeLine, wrapText } from 'svc/sdk/kit/terminal'
import { listKeys } from './manifest.ts'
import { type CatalogRow, type CatalogView, readView } from './rows.ts'

/** Exit code 0, also with entries that cannot be used: they are named in a warning. */
export async function list(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const view = await readView(ctx)
  if (hasFlag(input, 'json')) printJson(io, toJson(view))
  else {
    for (const line of formatEntries(view, io)) io.out(`${line}\n`)
    io.out('Install one: svc mcp install <name>\n')
  }
  warn(view, io)
  return 0
}

/** Why entries are left out, and clones that nothing uses. */
export function warn({ diagnostics, unused }: CatalogView, io: CliContext): void {
  for (const { message } of diagnostics)
    io.err(`${wrapText(io, paint(io, 'yellow', `Warning: ${safeLine(message)}`), '  ')}\n`)
  for (const name of unused) {
    const text = `No server uses the folder of ${safeLine(name)}. Remove it: svc mcp uninstall ${safeLine(name)}`
    io.err(`${wrapText(io, text, '  ')}\n`)
  }
}

/** Columns for the numbers of the picker. */
const MARGIN = 5
const STATES = { available: '', enabled: 'enabled', disabled: 'disabled', other: 'other definition' } as const

/** A line for each entry, then one for each server that is in no catalogue. */
export function formatEntries(
  { rows, custom }: CatalogView,
  io: Pick<CliContext, 'interactive' | 'columns'>,
): string[] {
  const lines = formatColumns([
    ...rows.map(({ manifest, state }) => [manifest.name, STATES[state], manifest.description]),
    ...custom.map(({ name, enabled }) => [name, enabled ? 'enabled' : 'disabled', 'A server of your own']),
  ])
  const width = io.interactive ? io.columns - MARGIN : Number.POSITIVE_INFINITY
  return lines.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line))
}

/** The fields that scripts of other agents read. */
function toJson({ rows, custom, diagnostics }: CatalogView): object {
  return {
    entries: rows.map(toEntry),
    custom: custom.map(({ name, enabled }) => ({ name, enabled })),
    diagnostics,
  }
}

export function toEntry({ manifest, state }: CatalogRow) {
  const { name, description, source, transport, auth, install, tools, post_install } = manifest
  const isStdio = transport.type === 'stdio'
  return {
    name,
    description,
    source: source ?? null,
    transport: transport.type,
    auth_type: auth.type,
    required_env: listKeys(manifest).map(({ name: variable, prompt, required, secret, default: usual }) => {
      return { name: variable, prompt: prompt ?? null, required, secret, default: usual ?? null }
    }),
    command: isStdio ? transport.command : null,
    args: isStdio ? transport.args : [],
    url: isStdio ? null : transport.url,
    version: transport.version ?? null,
    install_url: install?.url ?? null,
    install_ref: install?.ref ?? null,
    bootstrap: install?.bootstrap ?? [],
    default_enabled: tools.default_enabled ?? null,
    post_install: post_install ?? null,
    needs_install: install !== undefined,
    installed: state === 'enabled' || state === 'disabled',
    enabled: state === 'enabled',
    state,
  }
}
