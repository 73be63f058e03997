/** What a person types when a plugin does not do what it should. Sentences end with it; no code looks for it. */

/** The command that lists plugins, with why each one does not run. */
export const LIST_COMMAND = 'svc plugins'

/** The command that switches a plugin on. */
export const enableCommand = (name: string): string => `svc plugins enable ${name}`

/** The command that switches a plugin off. */
export const disableCommand = (name: string): string => `svc plugins disable ${name}`

/** The command that tells what a plugin does now, and why. */
export const infoCommand = (name: string): string => `svc plugins info ${name}`

/** Where a person switches plugins on and off. */
export const SWITCHES_FILE = 'config.yaml'
