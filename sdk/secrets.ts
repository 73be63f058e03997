/** Environment variables and secrets, by name. Provided by the kernel. */
import { type Service, service } from './token.ts'

/** Looks in the process environment first, then in `.env` of the active home. Values are masked in logs. */
export interface Secrets {
  /** The value, or undefined when unset, empty or a placeholder such as `changeme`. */
  get(name: string): string | undefined
  /** Where a value comes from. */
  source(name: string): 'environment' | '.env' | undefined
  /** The text with every known secret replaced by `***`. */
  mask(text: string): string
  /** A value that is kept elsewhere: `mask` hides it from now on, until the process ends. */
  protect(value: string): void
}
export const Secrets: Service<Secrets> = service('secrets')
