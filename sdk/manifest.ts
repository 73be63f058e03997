import type { ProcessRole } from './plugin.ts'

/**
 * Ids of services; as an object, each with a semver range for the version of the plugin that provides it.
 * @since 0.2
 */
export type ServiceNames = readonly string[] | Readonly<Record<string, string>>

/**
 * The content of `plugin.json`: everything that is known of a plugin before its code runs. Requirements name services, not
 * plugins. Fields that begin with `x-` belong to other programs and are not read.
 * @since 0.1
 */
export interface Manifest {
  /** Lower-case letters, digits and hyphens; also the folder's name. */
  readonly name: string
  /** The plugin's own version (semver). */
  readonly version: string
  /** The SDK versions it was written for, as a semver range. */
  readonly sdk: string
  /** What it is, in the catalogue: `platform`, `provider`, `tool`, `command`, `service`, ... */
  readonly kind: string
  /** One sentence for people. */
  readonly description: string
  /** Services it offers. */
  readonly provides?: readonly string[]
  /** Services it cannot do without. */
  readonly requires?: readonly string[]
  /**
   * Services it can do without and would like to have: a plugin that provides one is loaded before it. As an object, with the
   * versions of that plugin that will do, as semver ranges: `{ "weather": "^1" }`. In other versions the service is not there
   * for this plugin.
   */
  readonly wants?: ServiceNames
  /** Services it uses where something else loads them; they are then loaded before it. Otherwise as `wants`. */
  readonly uses?: ServiceNames
  /** The earlier word for `wants`, without versions. */
  readonly optional?: readonly string[]
  /** Services it loads when it needs them, with `Plugins.bring`. */
  readonly brings?: readonly string[]
  /** Loaded along with any of these services. Left out by a plugin of a user: with the readers of what it contributes. */
  readonly with?: readonly string[]
  /** The config block it owns, a dotted path; left out: `plugins.entries.<name>`. */
  readonly config?: string
  /** Environment variables it reads. */
  readonly env?: readonly EnvironmentVariable[]
  /**
   * The roles of a process in which it is loaded: `["gateway"]`. As an object, those in which its contributions to a point are
   * added: `{ "status-items": ["terminal"] }`; elsewhere `ctx.add` leaves them out. Left out: in every process.
   */
  readonly in?: readonly ProcessRole[] | Readonly<Record<string, readonly ProcessRole[]>>
  /** What it adds, by contribution point: keys of the items. */
  readonly contributes?: Readonly<Record<string, readonly string[]>>
  /** Points to which it adds items that come and go while it runs, whose names are only known then: `["tools"]`. */
  readonly dynamic?: readonly string[]
  /** Items of other plugins that it replaces with `ctx.replace`, by contribution point: `{ "tools": ["read_file"] }`. */
  readonly replaces?: Readonly<Record<string, readonly string[]>>
  /** Services that it wraps with `ctx.wrap`. */
  readonly wraps?: readonly string[]
  /**
   * Other names of what it adds, by contribution point: aliases of slash commands and of model providers, and `/help` for
   * the screen that the command `help` opens.
   */
  readonly aliases?: Readonly<Record<string, readonly string[]>>
  /** Shell commands it answers. */
  readonly cli?: readonly CliManifestEntry[]
  /**
   * Gates it guards, by the id of their hook: `tool:calling`, `model:calling`, `tools:offering`. While it should run and
   * does not, whatever the reason, these hooks deny and name it. Only the user may disable it, in `plugins.disabled`;
   * that is reported at every start.
   */
  readonly guards?: readonly string[]
  /**
   * Gates that it checks in addition to their guard: while it should run and does not, these hooks deny, too. A gate without a guard
   * denies, whatever checks it.
   */
  readonly checks?: readonly string[]
  /** Built-in plugins only: it cannot be disabled. */
  readonly permanent?: boolean
  /**
   * What decides whether people are protected: keys or blocks of config.yaml by their dotted paths, and files below the
   * home of svc. Changes that something else than svc made to them are reported at the next start.
   */
  readonly protects?: { readonly settings?: readonly string[]; readonly files?: readonly string[] }
  /**
   * Files and folders below the home that a copy of a profile takes along, by their first name: `{ "shared": ["skills"] }`. `shared` may
   * be given to other people; `personal` tells about the user, and leaves the machine only if the user asks for that. Neither
   * holds secrets, or state that two homes cannot share. config.yaml is not named here.
   */
  readonly portable?: {
    readonly shared?: readonly string[]
    readonly personal?: readonly string[]
    /**
     * What else goes with the user to another machine, `svc export`, by the word for it that the user knows: `{ "sessions": ["data/sessions"] }`.
     * Files and folders by their paths in the home, with slashes. Two homes cannot share it. @since 0.2
     */
    readonly state?: Readonly<Record<string, readonly string[]>>
    /** Files and folders with keys, likewise: only in an encrypted export, if the user asks for them. @since 0.2 */
    readonly secrets?: readonly string[]
  }
  /** Off until named in `plugins.enabled`. */
  readonly optIn?: boolean
  /** What it is allowed to reach when it is run isolated. */
  readonly grants?: Readonly<Record<string, readonly string[]>>
}

/** The ids of services that a plugin names, with or without versions. @since 0.2 */
export function listServices(names: ServiceNames = []): readonly string[] {
  return isList(names) ? names : Object.keys(names)
}

/**
 * Services that it can do without and that are loaded for it: `wants`, and `optional` of earlier plugins.
 * @since 0.2
 */
export function listWanted({ wants, optional = [] }: Pick<Manifest, 'wants' | 'optional'>): readonly string[] {
  return [...listServices(wants), ...optional]
}

/** Version ranges of services that a plugin names in `wants` and `uses`, by service. */
export function getServiceRanges({ wants = {}, uses = {} }: Pick<Manifest, 'wants' | 'uses'>): Record<string, string> {
  return { ...(isList(uses) ? {} : uses), ...(isList(wants) ? {} : wants) }
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(value: ServiceNames): value is readonly string[] {
  return Array.isArray(value)
}

/** An environment variable that a plugin reads. Secrets live in `.env`. @since 0.1 */
export interface EnvironmentVariable {
  readonly name: string
  readonly description: string
  readonly secret?: boolean
  /** The `config_version` whose step asks for it once, as it is new then. Left out: 1 for a built-in plugin. */
  readonly since?: number
}

/** A shell command, as `svc --help` lists it. @since 0.2 */
export interface CliManifestEntry {
  /**
   * One word. Two add a subcommand to the command of another plugin: `mcp install`; the item of `CliCommands` has the same name. If
   * that command has a subcommand of this name of its own, that one runs.
   */
  readonly name: string
  readonly description: string
  /** Shown by `svc --help`; without the leading `svc`. */
  readonly example?: string
  /** Run when no command is typed. */
  readonly default?: boolean
  /** Where `svc --help` lists it: `Conversations`, `Models and tools`, `Setup`, `Messaging`; left out: under `More`. */
  readonly group?: string
  /** The role of a process that runs it, or that of its subcommands by name; left out: `command`. */
  readonly role?: ProcessRole | Readonly<Record<string, ProcessRole>>
  /** Not listed: a name that is kept for those who know it from earlier. */
  readonly hidden?: true
  /** Names of its subcommands, for completion in a shell, which runs no plugin. */
  readonly subcommands?: readonly string[]
  /** Runs although config.yaml is broken: it is what one mends it with. */
  readonly repairs?: boolean
  /**
   * What of it a program that the agent started may run: `true` for all of it, or the subcommands that may, without
   * options that change anything. Left out: nothing; svc refuses.
   */
  readonly agent?: true | readonly string[]
}
