/** `svc plugins outdated`: asks npm, git and servers for newer versions of what was installed from there. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { formatColumns, hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { describeInstalled } from './installed.ts'
import { findPlugin } from './plugin-relations.ts'
import { childRun } from './sources/child.ts'
import { findNewest, type Newest } from './sources/newest.ts'
import { formatSource } from './sources/source.ts'
import { findVersion, listInstalled } from './versions/records.ts'

type Context = PluginContext<undefined>

/** A plugin and what its source has now. */
interface Outdated extends Pick<Newest, 'status' | 'available' | 'note'> {
  readonly name: string
  readonly version: string
  readonly source: string
}

/** Exit code 0 also when there is something newer. */
export async function outdated(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const found = await lookForNewer(ctx, input.args[0], io)
  if (hasFlag(input, 'json')) {
    printJson(io, found)
    return 0
  }
  const shown = found.filter(({ status, note }) => status !== 'current' || note !== undefined)
  if (!shown.length)
    io.out(found.length ? 'Everything that was installed is the newest.\n' : 'Nothing was installed.\n')
  const rows = shown.map(({ name, version, status, available, source, note }) => {
    const now = available === undefined ? version : `${version} -> ${available}`
    return [name, now, status, note === undefined ? source : `${source}: ${note}`].map((text) => safeLine(text))
  })
  for (const [at, line] of formatColumns(rows).entries())
    io.out(`${shown[at]?.status === 'moved' ? paint(io, 'red', line) : line}\n`)
  if (shown.some(({ status }) => status === 'newer')) io.out('To update: svc plugins update NAME\n')
  return 0
}

/** One plugin, or all that have a record. */
export async function lookForNewer(
  ctx: Context,
  only: string | undefined,
  io: Pick<CliContext, 'signal'>,
): Promise<Outdated[]> {
  const present = (name: string) => ctx.use(Plugins).info(name) !== undefined
  const names = only === undefined ? listInstalled(ctx).filter(present) : [only]
  const cwd = mkdtempSync(join(tmpdir(), 'svc-outdated-'))
  const results: Outdated[] = []
  try {
    for (const name of names) {
      const installed = await describeInstalled(ctx, await findPlugin(ctx, name))
      const current = findVersion(installed, installed.current)
      if (!current) throw new SvcError('PLUGIN_RECORD', `The record of ${name} does not name its version.`)
      const { source, version } = current
      if (!source) {
        results.push({ name, version, status: 'unknown', source: 'not recorded', note: 'update it with --from' })
        continue
      }
      const { status, available, note } = await findNewest(source, { ctx, version, run: childRun(ctx, io), cwd })
      const more = { ...(available !== undefined && { available }), ...(note !== undefined && { note }) }
      results.push({ name, version, status, source: formatSource(source), ...more })
    }
    return results
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
