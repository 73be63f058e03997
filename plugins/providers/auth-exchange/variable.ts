/** Which variable holds a token of GitHub. */
import { type PluginContext, Secrets } from 'svc/sdk'

const NAMES = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN']

/** The first that is set. */
export function findVariable(deps: Pick<PluginContext<unknown>, 'use'>): string | undefined {
  return NAMES.find((name) => deps.use(Secrets).get(name) !== undefined)
}
