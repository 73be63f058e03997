/** Environment variables and secrets by name, and the masking of their values. */
import type { Secrets } from '../sdk/secrets.ts'

/** Names whose values are secret by their form. */
const secretName = /(_API_KEY|_TOKEN|_SECRET|_PASSWORD|_KEY)$|^(API_KEY|TOKEN|SECRET|PASSWORD)$/
/** What people leave in example files. */
const placeholder = /^(changeme|change-me|your[-_ ].*|xxx+|todo|none|null|undefined|placeholder|<.*>)$/i
const MIN_MASKED = 6

type Values = Readonly<Record<string, string | undefined>>

/** Secrets of one home. `dotenv` gives the values of `.env` as they are now. */
export class SecretTable implements Secrets {
  #env: Values
  #dotenv: () => Values
  #protected: Set<string> = new Set()
  #declared: ReadonlySet<string> = new Set()
  /** What to mask, for one reading of `.env`: text is masked many times a second. */
  #hidden: { readonly dotenv: Values; readonly values: readonly string[] } | undefined

  constructor(env: Values, dotenv: () => Values) {
    this.#env = env
    this.#dotenv = dotenv
  }

  get(name: string): string | undefined {
    return usable(this.#env[name]) ?? usable(this.#dotenv()[name])
  }

  source(name: string): 'environment' | '.env' | undefined {
    if (usable(this.#env[name]) !== undefined) return 'environment'
    return usable(this.#dotenv()[name]) === undefined ? undefined : '.env'
  }

  mask(text: string): string {
    let masked = text
    for (const value of this.#values()) if (masked.includes(value)) masked = masked.replaceAll(value, '***')
    return masked
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

  /** What must not be seen, longest first: protected, of `.env`, and of the environment what is named like a secret. */
  #values(): readonly string[] {
    const dotenv = this.#dotenv()
    if (this.#hidden?.dotenv !== dotenv) this.#hidden = { dotenv, values: this.#collect(dotenv) }
    return this.#hidden.values
  }

  #collect(dotenv: Values): string[] {
    const fromEnv = Object.entries(this.#env).filter(([name]) => secretName.test(name) || this.#declared.has(name))
    const all = [...fromEnv.map(([, value]) => value), ...Object.values(dotenv), ...this.#protected]
    return all
      .map((value) => value?.trim() ?? '')
      .filter((value) => value.length >= MIN_MASKED)
      .sort((a, b) => b.length - a.length)
  }
}

function usable(value: string | undefined): string | undefined {
  const text = value?.trim()
  return !text || placeholder.test(text) ? undefined : text
}
