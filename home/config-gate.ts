/** Asks plugins before a running process takes over an edit of config.yaml that svc did not make. */
import type { HookTable } from '../kernel/hooks.ts'
import { BeforeConfigChange, type ConfigChangeRequest, diffConfigPaths } from '../sdk/config.ts'
import type { HookDecision } from '../sdk/verdict.ts'
import type { ConfigStore } from './config.ts'

/** Why an edit is not taken over, as a sentence; undefined when it is. */
export async function refuseConfigEdit(
  config: ConfigStore,
  hooks: Pick<HookTable, 'call'>,
): Promise<string | undefined> {
  if (!config.inFile || config.isOwnText()) return undefined
  const fresh = await config.fresh()
  const paths = diffConfigPaths(config.own, fresh.own)
  if (!fresh.usable || paths.length === 0) return undefined
  const request: ConfigChangeRequest = { source: 'disk', paths, before: config.own, after: fresh.own }
  const verdict = (await hooks.call(BeforeConfigChange as never, request)) as HookDecision | undefined
  if (verdict?.decision !== 'deny' && verdict?.decision !== 'ask') return undefined
  const reason = verdict.reason ?? verdict.questions?.[0]?.reason ?? 'a plugin denied it'
  return `the edit of ${paths.slice(0, 5).join(', ')} in ${config.file} is not in force: ${reason}. The last values hold until the next start`
}
