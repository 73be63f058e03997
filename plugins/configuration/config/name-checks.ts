/** Names in the config that only a running plugin can judge: the display knows the files of skins, the language its locales. */
import type { PluginContext } from 'svc/sdk'
import { type ConfigProblem, formatConfigPath, getAtPath, Language, Plugins } from 'svc/sdk/host'
import { Display } from 'svc/sdk/terminal'
import type { Path } from './json-schema.ts'

/** Who reports a wrong name, and under which codes. */
const NAMED = [
  {
    path: ['display', 'skin'],
    owner: (plugins: Plugins) => plugins.bring(Display),
    codes: ['SKIN_UNKNOWN', 'SKIN_INVALID'],
  },
  { path: ['display', 'language'], owner: (plugins: Plugins) => plugins.bring(Language), codes: ['LANGUAGE_UNKNOWN'] },
] as const

/** Only owners of names that are set are loaded. */
export async function nameProblems(
  ctx: PluginContext<unknown>,
  values: unknown,
): Promise<(Omit<ConfigProblem, 'path'> & { readonly at: Path })[]> {
  const plugins = ctx.use(Plugins)
  const found = []
  for (const { path, owner, codes } of NAMED) {
    const value = getAtPath(values, path)
    if (typeof value !== 'string' || !(await owner(plugins))) continue
    const problem = plugins.problems().findLast(({ code }) => (codes as readonly string[]).includes(code))
    if (problem)
      found.push({
        severity: 'error',
        at: path,
        message: problem.message,
        hint: `svc config unset ${formatConfigPath(path)}`,
      } as const)
  }
  return found
}
