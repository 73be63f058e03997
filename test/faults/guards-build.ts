/** Copies of the built program in which a built-in plugin is broken, and what its manifests say of guards. */
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'

/** What is looked at of a manifest. */
export interface BuiltManifest {
  readonly name: string
  readonly guards?: readonly string[]
  readonly checks?: readonly string[]
  readonly permanent?: boolean
  readonly provides?: readonly string[]
  readonly requires?: readonly string[]
  readonly config?: string
}

const dist = join(root, 'dist')
const built = JSON.parse(readFileSync(join(dist, 'plugins/index.json'), 'utf8')) as readonly BuiltManifest[]

/** All that guard a gate, and what may not be switched off because guards rest on it. */
export const guards: readonly BuiltManifest[] = built
  .filter(({ guards = [], checks = [], permanent }) => guards.length || checks.length || permanent)
  .map((manifest) => ({ ...manifest, guards: [...(manifest.guards ?? []), ...(manifest.checks ?? [])] }))

/** The plugins whose services a guard cannot do without, as far as they can be switched off. */
export function listNeeds({ requires = [] }: BuiltManifest): readonly string[] {
  const provides = ({ provides = [] }: BuiltManifest) => requires.some((service) => provides.includes(service))
  return built.flatMap((manifest) => (provides(manifest) && !manifest.permanent ? [manifest.name] : []))
}

/** How long a stage of a plugin may take in a copy, instead of seconds. */
const STAGE_MS = 2500

/** The built program with the sabotage built in; nothing is broken unless `SVC_TEST_SABOTAGE` says so. */
export class SabotagedBuild {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-sabotage-'))
  readonly bin: string
  #copies = 0

  constructor() {
    const copy = join(this.#folder, 'whole')
    mkdirSync(this.#folder, { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'))
    copyFileSync(join(root, 'package.json'), join(this.#folder, 'package.json'))
    const isNeeded = (path: string) => !/[\\/](types|(program|others)-[^\\/]*\.cache)$/.test(path)
    cpSync(dist, copy, { recursive: true, filter: isNeeded })
    const program = join(copy, 'kernel/program.cjs')
    writeFileSync(program, sabotaged(readFileSync(program, 'latin1')), 'latin1')
    copyFileSync(join(import.meta.dirname, 'guards-sabotage.cjs'), join(copy, 'kernel/sabotage.cjs'))
    this.bin = join(copy, 'kernel/bin.cjs')
  }

  /** The program with other manifests. */
  withManifests(change: (all: readonly BuiltManifest[]) => readonly object[]): string {
    const copy = join(this.#folder, `copy-${++this.#copies}`)
    linkFolder(dirname(dirname(this.bin)), copy)
    rmSync(join(copy, 'plugins/index.json'))
    writeFileSync(join(copy, 'plugins/index.json'), JSON.stringify(change(built)))
    return join(copy, 'kernel/bin.cjs')
  }

  /** Programs that were just told to end keep what they compiled: they may be writing it here. */
  async close(): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      try {
        return removeFolder(this.#folder)
      } catch {
        await pause(250)
      }
    }
  }
}

function sabotaged(text: string): string {
  const changes: readonly (readonly [string | RegExp, string])[] = [
    [
      /importBuiltIn=async (\w+)=>builtIn\(\1\)/,
      "importBuiltIn=async name=>require('./sabotage.cjs')(name,async()=>builtIn(name))",
    ],
    [
      'import:1e4,setup:1e4,start:3e4',
      `import:1e4,...(process.env.SVC_TEST_SABOTAGE?.includes('slow')?{setup:${STAGE_MS},start:${STAGE_MS}}:{setup:1e4,start:3e4})`,
    ],
  ]
  return changes.reduce((before, [what, instead]) => {
    const after = before.replace(what, () => instead)
    if (after === before) throw new Error(`The built program has no ${what} to put the sabotage in.`)
    return after
  }, text)
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFolder(source, target)
    else linkSync(source, target)
  }
}
