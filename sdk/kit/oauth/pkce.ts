/** Proof Key for Code Exchange: RFC 7636. */
import { createHash } from 'node:crypto'
import type { Random } from '../../ports.ts'

/** What one attempt proves itself with. @since 0.2 */
export interface Pkce {
  /** 43 characters, as section 4.1 has it. */
  readonly verifier: string
  /** Of method `S256`. */
  readonly challenge: string
  /** Ties the answer to this attempt: RFC 6749, section 10.12. */
  readonly state: string
}

/** @since 0.2 */
export function createPkce(random: Pick<Random, 'hex'>): Pkce {
  const text = () => Buffer.from(random.hex(32), 'hex').toString('base64url')
  const verifier = text()
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url'), state: text() }
}
