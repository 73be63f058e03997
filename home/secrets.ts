/** Environment variables and secrets by name, and the masking of their values. */
import { compileMask } from '../sdk/kit/text/mask.ts'
import type { Secrets } from '../sdk/secrets.ts'

/** Names whose values are secret by their form. */
const secretName = /(_API_KEY|_TOKEN|_SECRET|_PASSWORD|_KEY)$|^(API_KEY|TOKEN|SECRET|PASSWORD)$/
/** What people leave in example files. */
const placeholder = /^(changeme|change-me|your[-_ ].*|xxx+|todo|none|null|undefined|placeholder|<.*>)$/i
const MIN_MASKED = 6
/** Of what is known to be secret, shorter values are masked as whole words. */
const MIN_WORD = 4
/** Settings that have the name of a secret. */
const notSecret = /^(true|false)$/i

type Values = Readonly<Record<string, string | undefined>>

/** Secrets of one home. `dotenv` gives the values of `.env` as they are now. */
export class SecretTable implements Secrets {
  #env: Values
  #dotenv: () => Values
  #protected: Set<string> = new Set()
  #declared: ReadonlySet<string> = new Set()
  /** What to mask, for one reading of `.env`: text is masked many times a second. */
  #hidden: { readonly dotenv: Values; readonly mask: (text: string) => string } | undefined

  constructor(env: Values, dotenv: () => Values) {
    this.#env = env
    this.#dotenv = dotenv
  }

  get(name: string): string | undefined {
    return usable(this.#env[name]) ?? usable(this.#dotenv()[name])
  }

  isPlaceholder(name: string): boolean {
    const set = [this.#env[name], this.#dotenv()[name]].filter((value) => value?.trim())
    return set.length > 0 && this.get(name) === undefined
  }

  source(name: string): 'environment' | '.env' | undefined {
    if (usable(this.#env[name]) !== undefined) return 'environment'
    return usable(this.#dotenv()[name]) === undefined ? undefined : '.env'
  }

  mask(text: string): string {
    const dotenv = this.#dotenv()
    if (this.#hidden?.dotenv !== dotenv) this.#hidden = { dotenv, mask: this.#compile(dotenv) }
    return this.#hidden.mask(text)
  }

  protect(value: string): void {
    this.#protected.add(value)
    this.#hidden = undefined
  }

  /** Names of variables that plugins declare as secret, whatever they look like. */
  declare(names: readonly string[]): void {
    this.#declared = new Set(names)
    this.#hidden = undefined
  }

  /** What must not be seen: protected, of `.env`, and of the environment what is named like a secret. */
  #compile(dotenv: Values): (text: string) => string {
    const isSecret = ([name]: readonly [string, unknown]) => secretName.test(name) || this.#declared.has(name)
    const named = [...Object.entries(this.#env), ...Object.entries(dotenv)].filter(isSecret).map(([, value]) => value)
    const known = trimAll([...named, ...this.#protected])
    const all = [...known, ...trimAll(Object.values(dotenv))].filter((value) => value.length >= MIN_MASKED)
    const words = known.filter(({ length }) => length >= MIN_WORD && length < MIN_MASKED)
    return compileMask(
      [...new Set(all)],
      words.filter((value) => usable(value) !== undefined && !notSecret.test(value)),
    )
  }
}

/** Which variables of an environment hold a secret: by their name in any case, or because a plugin declares it. */
export function secretVariables(env: Values, declared: ReadonlySet<string>): string[] {
  return Object.keys(env).filter((name) => secretName.test(name.toUpperCase()) || declared.has(name))
}

function trimAll(values: readonly (string | undefined)[]): string[] {
  return values.map((value) => value?.trim() ?? '')
}

function usable(value: string | undefined): string | undefined {
  const text = value?.trim()
  return !text || placeholder.test(text) ? undefined : text
}
