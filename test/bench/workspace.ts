/** The clean surroundings of everything that is measured: fresh folders, and an environment of three variables. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePluginCrowd } from '../support/plugin-crowd.ts'

const FOREIGN_PLUGINS = 60

/** A process environment. */
export type Environment = Readonly<Record<string, string>>

export class Workspace {
  readonly #dir: string
  /** Where the measured programs run. */
  readonly cwd: string

  /** In an empty folder. */
  constructor(dir: string) {
    this.#dir = dir
    this.cwd = this.#folder('project')
    writeFileSync(join(this.cwd, 'notes.txt'), 'A file to look at.\n')
  }

  /** Of a user whose model server is at `modelUrl`. */
  environment(modelUrl: string): Environment {
    return this.#environment(this.homeLike('home', modelUrl))
  }

  /** Another home of that user. */
  homeLike(name: string, modelUrl: string): string {
    const home = this.#folder(name)
    const lines = ['model:', '  provider: custom', `  base_url: ${modelUrl}`, '  default: bench']
    writeFileSync(join(home, 'config.yaml'), `${lines.join('\n')}\n`)
    return home
  }

  /** Of a user with sixty plugins of others. */
  environmentWithPlugins(): Environment {
    const home = this.#folder('home-with-plugins')
    for (let number = 1; number <= FOREIGN_PLUGINS; number++) writePlugin(join(home, 'plugins'), `foreign-${number}`)
    return this.#environment(home)
  }

  /** Of a user with so many small plugins of others, switched on. */
  environmentWithCrowd(count: number, modelUrl: string): Environment {
    const home = this.homeLike(`home-with-${count}`, modelUrl)
    writePluginCrowd(home, count)
    return this.#environment(home)
  }

  #environment(home: string): Environment {
    return { PATH: process.env['PATH'] ?? '', HOME: this.#folder('user'), SVC_HOME: home }
  }

  #folder(name: string): string {
    const dir = join(this.#dir, name)
    mkdirSync(dir, { recursive: true })
    return dir
  }
}

function writePlugin(root: string, name: string): void {
  const dir = join(root, name)
  mkdirSync(dir, { recursive: true })
  const manifest = {
    name,
    version: '1.0.0',
    sdk: '^0.1.0',
    kind: 'tool',
    description: 'A plugin that somebody else wrote.',
    with: ['agent'],
    contributes: { tools: [name] },
    cli: [{ name, description: 'A command of its own' }],
  }
  writeFileSync(join(dir, 'plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(dir, 'index.js'), 'export default { setup() {} }\n')
}
