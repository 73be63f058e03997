/** Seals: how a plugin knows records again that it keeps in a file which other programs of the user can write. */
import { defineService, type Service } from './declarations.ts'

/** A keyed hash with the key of the home. It does not protect against a program that can read the home. @since 0.1 */
export interface Seals {
  /** The mark of a text. `purpose` keeps marks of one kind of record from being used for another. */
  seal(purpose: string, text: string): string
  /** Whether svc of this home made the mark, for this purpose and this text. */
  holds(purpose: string, text: string, mark: string): boolean
}
export const Seals: Service<Seals> = defineService('seals', { closed: true })
