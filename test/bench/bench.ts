/** What every part of the bench is given. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from './child.ts'
import type { Model } from './model.ts'
import type { Contender } from './row.ts'
import { LAST_WORDS } from './scenario.ts'
import type { Environment, Workspace } from './workspace.ts'

const PROMPT = 'Tell me what you see.'

export interface Bench {
  /** The repository. */
  readonly root: string
  /** The folder of the package that is measured: the repository, or where it was installed for another Node. */
  readonly installed: string
  readonly runs: number
  readonly workspace: Workspace
  readonly model: Model
  /** Of a user whose provider is the fake model. */
  readonly env: Environment
  progress(text: string): void
}

/** The folder of the scripts that the product is compared with. */
export function getBaselineFolder({ root }: Bench): string {
  return join(root, 'test', 'bench', 'baseline')
}

/** `svc` with arguments, as it was built: the file that package.json names. */
export function svc({ installed, env, workspace }: Bench, args: readonly string[], prints: string): Program {
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { bin: { svc: string } }
  return { args: [join(installed, bin.svc), ...args], env, cwd: workspace.cwd, prints }
}

/** Every contender that does this kind of work, asking the fake model. */
export function askers(bench: Bench, work: 'one-shot' | 'rounds'): Partial<Record<Contender, Program>> {
  const { env, workspace, model } = bench
  const script = (name: string): Program => ({
    args: [join(getBaselineFolder(bench), `${name}-${work}.mjs`), model.url, 'bench', PROMPT],
    env,
    cwd: workspace.cwd,
    prints: LAST_WORDS,
  })
  return {
    floor: script('floor'),
    bare: script('bare'),
    ...(work === 'one-shot' ? { sdk: script('sdk') } : {}),
    ours: svc(bench, ['chat', '-q', PROMPT, '--max-turns', '1000'], LAST_WORDS),
  }
}

/** From this version on a program starts in half the time that Node 20 needs, so that ours stands out more. */
export const isRecentNode: boolean = Number(process.versions.node.split('.')[0]) >= 22
