/** What plugins say of a plugin that is about to be installed. */
import { type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import { paint, safeLine } from 'svc/sdk/kit/terminal'
import { BeforePluginInstall, type PluginInstallation } from 'svc/sdk/safety'
import type { Candidate } from './sources/fetch.ts'
import { formatExactSource } from './sources/source.ts'

/** Throws `PLUGIN_INSTALL_DENIED`. What a listener wants to have asked is shown before the question that follows. */
export async function checkInstallation(
  ctx: PluginContext<undefined>,
  about: Pick<PluginInstallation, 'kind' | 'hash'> & { readonly info: PluginInfo; readonly candidate: Candidate },
  io: CliContext,
): Promise<void> {
  const { kind, hash, info, candidate } = about
  const { name, version } = info.manifest
  const source = formatExactSource(candidate.source)
  const verdict = await ctx.call(BeforePluginInstall, { kind, name, version, source, dir: candidate.dir, hash })
  if (verdict?.decision === 'deny') {
    const message = `${name} was not installed: ${verdict.reason ?? 'a plugin denied it'}.`
    throw new SvcError('PLUGIN_INSTALL_DENIED', message, { status: 403 })
  }
  for (const { reason } of verdict?.decision === 'ask' ? (verdict.questions ?? []) : [])
    io.err(`${paint(io, 'yellow', safeLine(reason))}\n`)
}
