/** `svc gateway pause`, `resume` and `rehearse`: one platform of the gateway that runs, or against a stand-in of its service. */
import { type CliArguments, type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { paint, safeLine } from 'svc/sdk/kit/terminal'
import { type DryRunStep, PlatformDryRuns } from 'svc/sdk/platform'
import { platformLine } from './announcements.ts'
import { askStatus, tell } from './running-gateway.ts'

export function pause(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  return change(ctx, io, 'pause', input.args[0] ?? '')
}

export function resume(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  return change(ctx, io, 'resume', input.args[0] ?? '')
}

/** Throws `GATEWAY_NOT_RUNNING`, or what the gateway says of the name. */
async function change(ctx: PluginContext<undefined>, io: CliContext, verb: string, name: string): Promise<number> {
  await tell(ctx, verb, { name })
  const platform = (await askStatus(ctx))?.platforms.find((each) => each.name === name)
  if (platform) io.out(`${platformLine(io, platform)}\n`)
  return 0
}

const styles = { ok: 'green', warning: 'yellow', failed: 'red' } as const

/** Without a platform it tells which there are. 1 when a step failed. */
export async function rehearse(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const rehearsals = await ctx.use(Plugins).bring(PlatformDryRuns)
  if (!rehearsals) throw new SvcError('GATEWAY_UNAVAILABLE', 'Nothing can be rehearsed. `svc plugins` shows why.')
  const { args, options } = input
  const [platform] = args
  if (platform === undefined) return list(io, rehearsals)
  const isJson = options['json'] === true
  const chaos = typeof options['chaos'] === 'string' ? options['chaos'].split(',').filter(Boolean) : []
  const onStep = (step: DryRunStep) => io.out(isJson ? `${JSON.stringify(step)}\n` : stepText(io, step))
  const steps = await rehearsals.run(platform, { chaos, onStep, signal: io.signal })
  return steps.some(({ result }) => result === 'failed') ? 1 : 0
}

async function list(io: CliContext, rehearsals: PlatformDryRuns): Promise<number> {
  for (const name of await rehearsals.platforms())
    io.out(`${name.padEnd(13)} ${(await rehearsals.faults(name)).join(', ')}\n`)
  io.out('Rehearse one: svc gateway rehearse <platform> --chaos <fault>,<fault>\n')
  return 0
}

function stepText(io: CliContext, { result, name, detail, advice }: DryRunStep): string {
  const line = `${paint(io, styles[result], result.padEnd(8))} ${safeLine(name)}: ${safeLine(detail)}\n`
  return advice === undefined ? line : `${line}         ${safeLine(advice)}\n`
}
