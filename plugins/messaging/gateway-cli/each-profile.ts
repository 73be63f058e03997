/** `--profiles` of start, stop, restart and status: the same for each of several profiles. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { findProfiles } from './profiles.ts'

type Context = PluginContext<undefined>
type CommandAction = (ctx: Context, input: CliArguments, io: CliContext) => Promise<number>

/** One after the other; with `--json` as one object by profile. The exit code is the first that is not 0. */
export async function eachProfile(
  ctx: Context,
  input: CliArguments,
  io: CliContext,
  action: CommandAction,
): Promise<number> {
  const codes: number[] = []
  const results: Record<string, unknown> = {}
  const isJson = input.options['json'] === true
  for (const profile of findProfiles(ctx, String(input.options['profiles']))) {
    let text = ''
    const collect = (part: string) => {
      text += part
    }
    if (!isJson) io.out(`${profile.name}\n`)
    codes.push(await action(profile.ctx, input, isJson ? { ...io, out: collect } : io))
    if (isJson) results[profile.name] = JSON.parse(text)
  }
  if (isJson) io.out(`${JSON.stringify({ profiles: results }, undefined, 2)}\n`)
  return codes.find((code) => code !== 0) ?? 0
}
