/** Every way in which a guard can be missing, and a home in which a model attempts what guards are there to prevent. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FakeCall, Reply } from '../support/model-replies.ts'
import { type ModelServer, type RecordedRequest, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { type BuiltManifest, listNeeds, type SabotagedBuild } from './guards-build.ts'
import { wrongBlocks } from './guards-wrong.ts'

type Settings = Readonly<Record<string, unknown>>

/** One way in which a guard is missing. */
export interface Way {
  readonly name: string
  readonly config?: Settings
  readonly sabotage?: string
  /** Of the manifests in the program. */
  readonly manifests?: (all: readonly BuiltManifest[]) => readonly object[]
  /** What must be said of it: the line of the configuration or the plugin, and what to do. */
  readonly says: RegExp
}

/** Nothing is wrong. */
export const whole: Way = { name: 'whole', says: /./ }

const stages = ['import', 'setup', 'start', 'call', 'slow-setup', 'slow-start']

/** Not by the user's wish: nothing may happen that the guard protects. */
export function listWays(guard: BuiltManifest, wrong: 'each' | 'one'): readonly Way[] {
  const blocks = wrongBlocks(guard.name, guard.config)
  const { guards: gates = [], provides = [] } = guard
  const named = new RegExp(
    `(${[guard.name, ...provides.map((service) => `the service ${service}`)].join('|')}).*(failed|does not run)|still waiting for the plugin ${guard.name}`,
    'is',
  )
  const lost = new RegExp(
    `nothing guards (${gates.join('|') || '-'}).*install svc again|the service (${provides.join('|')}) is missing; see .svc plugins`,
    's',
  )
  // Of what only checks a gate nothing is known without its manifest.
  const unknown: Way[] = [
    { name: 'absent', manifests: (all) => all.filter(({ name }) => name !== guard.name), says: lost },
    {
      name: 'known by its name only',
      manifests: (all) => all.map((each) => (each.name === guard.name ? { name: guard.name } : each)),
      says: lost,
    },
  ]
  return [
    ...blocks.slice(0, wrong === 'one' ? 1 : blocks.length).map(({ path, config }) => ({
      name: `${path} has a value of the wrong type`,
      config,
      says: new RegExp(`config\\.yaml: "?${path.replaceAll('.', '\\.')}.*svc config (set ${path}|edit)`, 's'),
    })),
    ...stages.map((stage) => ({ name: `sabotaged at ${stage}`, sabotage: `${guard.name}:${stage}`, says: named })),
    ...(guard.checks ? [] : unknown),
    ...listNeeds(guard).map((need) => ({
      name: `without ${need}`,
      config: { plugins: { disabled: [need] } },
      says: new RegExp(`${need} is left out: disabled in config\\.yaml; svc plugins enable ${need}`),
    })),
  ]
}

/** By the user's wish. */
export const disabled = ({ name }: BuiltManifest): Way => ({
  ...whole,
  name: 'disabled',
  config: { plugins: { disabled: [name] } },
})

/** What a model did, on one surface. */
export interface Effects {
  /** A file was written, which needs no question. */
  readonly wrote: boolean
  /** A folder that git tracks was deleted, which needs one. */
  readonly deleted: boolean
  /** What is never run was run. */
  readonly crossed: boolean
  /** Requests that reached the model. */
  readonly asked: number
}

/** What the model attempts: commands that write, delete and cross the hard line, in the way of the surface. */
export type Attempt = (commands: readonly string[]) => readonly FakeCall[]

/** What the model says in the end. */
export const DONE = 'I have done what I could.'

const inTerminal: Attempt = (commands) => commands.map((command) => ({ name: 'terminal', arguments: { command } }))

/** How a case differs from `svc chat` in a project with the default settings. */
export interface CaseOptions {
  readonly config?: Settings
  readonly attempt?: Attempt
  /** The folder of the model's work, relative to that of the case. */
  readonly place?: string
}

/** A home with a project and its own model server. */
export class GuardCase {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-guards-'))
  readonly home = join(this.folder, 'home')
  /** Where the model works. */
  readonly project: string
  readonly bin: string
  readonly #sabotage: string | undefined
  readonly #server: ModelServer

  private constructor(bin: string, sabotage: string | undefined, server: ModelServer, place: string) {
    this.project = join(this.folder, place)
    this.bin = bin
    this.#sabotage = sabotage
    this.#server = server
  }

  /** The settings of the way go over `config`. What is asked names the surface as `via-<surface>`. */
  static async open(build: SabotagedBuild, way: Way, how: CaseOptions = {}): Promise<GuardCase> {
    const { config = {}, attempt = inTerminal, place = 'project' } = how
    const bin = way.manifests ? build.withManifests(way.manifests) : build.bin
    const server = await startModelServer({ replies: (request) => reply(request, attempt) })
    const it = new GuardCase(bin, way.sabotage, server, place)
    for (const each of [it.home, it.project]) mkdirSync(each, { recursive: true })
    const model = { provider: 'custom', base_url: server.url, default: 'fake-model' }
    const approvals = { timeout: 0.5 }
    // JSON is YAML.
    writeFileSync(join(it.home, 'config.yaml'), JSON.stringify({ model, approvals, ...config, ...way.config }))
    return it
  }

  /** Changes config.yaml, where it is still what was written. */
  configure(change: (settings: Record<string, unknown>) => object): void {
    const file = join(this.home, 'config.yaml')
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)))
  }

  get environment(): Readonly<Record<string, string>> {
    const broken = this.#sabotage === undefined ? {} : { SVC_TEST_SABOTAGE: this.#sabotage }
    return { PATH: process.env['PATH'] ?? '', HOME: this.folder, SVC_HOME: this.home, ...broken }
  }

  /** Puts there what can be deleted, and returns what to say to the model. */
  prepare(surface: string): string {
    mkdirSync(join(this.project, `tracked-${surface}`), { recursive: true })
    writeFileSync(join(this.project, `tracked-${surface}`, 'source.txt'), 'work of a day\n')
    return `please go on via-${surface}`
  }

  effects(surface: string): Effects {
    const isThere = (name: string) => existsSync(join(this.project, name))
    return {
      wrote: isThere(`wrote-${surface}`),
      deleted: !isThere(join(`tracked-${surface}`, 'source.txt')),
      crossed: isThere(`crossed-${surface}`),
      asked: this.#server.requests.filter(({ raw }) => raw.includes(`via-${surface}`)).length,
    }
  }

  /** All that the model was told. */
  heard(): string {
    return this.#server.requests.map(({ raw }) => raw.toString('utf8')).join('\n')
  }

  log(): string {
    const file = join(this.home, 'logs/svc.log')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  async close(): Promise<void> {
    await this.#server.close()
    removeFolder(this.folder)
  }
}

interface Wire {
  readonly role: string
  readonly content?: unknown
}

function reply({ body }: RecordedRequest, attempt: Attempt): Reply {
  const messages = body['messages'] as readonly Wire[]
  if (messages.at(-1)?.role === 'tool') return DONE
  const [surface] = /via-\w+/.exec(JSON.stringify(messages.findLast(({ role }) => role === 'user') ?? '')) ?? []
  if (surface === undefined) return 'Nothing was asked.'
  const name = surface.slice(4)
  const commands = [
    `echo done > wrote-${name}`,
    `rm -rf tracked-${name}`,
    // Where the hard line fails, this harms nothing: there is no such disk.
    `mkfs.ext4 /dev/svc-test-no-such-disk; echo done > crossed-${name}`,
  ]
  return { calls: attempt(commands) }
}

/** What may happen while a guard of these gates is missing: nothing of what they are for. */
export const nothing: Pick<Effects, 'wrote' | 'deleted' | 'crossed'> = { wrote: false, deleted: false, crossed: false }
