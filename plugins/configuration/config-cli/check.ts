/** `svc config check`: prints everything that is wrong or useless in config.yaml and `.env`. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { ConfigFile, type ConfigProblem } from 'svc/sdk/host'
import { toJson } from './output.ts'

/** Exit code 1 when one of the problems is an error. */
export async function check(ctx: PluginContext<undefined>, { options }: CliArguments, io: CliContext): Promise<number> {
  const problems = await ctx.use(ConfigFile).check()
  const errors = problems.filter(({ severity }) => severity === 'error').length
  if (options['json'] === true) io.out(toJson(problems))
  else if (problems.length === 0) io.out('No problems.\n')
  else io.out(`${problems.map(toLine).join('')}Errors: ${errors}, warnings: ${problems.length - errors}\n`)
  return errors > 0 ? 1 : 0
}

function toLine({ severity, path, message, hint, line }: ConfigProblem): string {
  const place = [line === undefined ? '' : `line ${line}`, path].filter(Boolean).join(', ')
  return `${severity}: ${place ? `${place}: ` : ''}${message}${hint ? `\n  ${hint}` : ''}\n`
}
