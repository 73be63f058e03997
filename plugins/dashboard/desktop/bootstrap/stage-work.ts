/** What each stage does on this machine. A stage may run again at any time: what is there already is left as it is. */
import { SvcError } from 'svc/sdk'
import { askVersion, type StageWork } from './stage-deps.ts'
import type { StageName } from './stages.ts'

/** A program that is useful and not needed: where it is missing, the stage is skipped with what it would be for. */
function optional(name: string, use: string): StageWork {
  return async (deps) => {
    const version = await askVersion(name, deps)
    if (version === undefined) return { skipped: `${name} is not on the path. ${use}` }
    deps.log(`${name}: ${version}`)
    return undefined
  }
}

const withInput =
  (words: readonly string[]): StageWork =>
  async (deps) => {
    const command = `svc ${words.join(' ')}`
    if (!deps.isInteractive) return { skipped: `A person is needed. Run: ${command}` }
    const code = await deps.converse(words)
    if (code !== 0) throw new SvcError('DESKTOP_STAGE', `${command} ended with exit ${code}. Run it again.`)
    return undefined
  }

const installation = () => import('./installation.ts')
const preparation = () => import('./preparation.ts')

export const STAGE_WORK: Readonly<Record<StageName, StageWork>> = {
  'package-manager': optional('npm', 'Only plugins from npm need it.'),
  runtime: async (deps) => (await installation()).checkRuntime(deps),
  git: optional('git', 'Skills and plugins from repositories need it.'),
  node: optional('node', 'Tool servers that are Node programs need it.'),
  'system-packages': async (deps) => (await preparation()).checkPackages(deps),
  repository: async (deps) => (await installation()).linkProgram(deps),
  launcher: async (deps) => (await installation()).writeLauncher(deps),
  dependencies: async (deps) => (await installation()).checkLibraries(deps),
  'native-modules': async (deps) => (await installation()).checkNativeModules(deps),
  path: async (deps) => (await preparation()).linkCommand(deps),
  'config-templates': async (deps) => (await preparation()).writeTemplates(deps),
  'platform-sdks': async (deps) => (await preparation()).checkPlatforms(deps),
  configure: withInput(['chat']),
  gateway: withInput(['gateway', 'install']),
}
