/** The faults of stand-ins: which there are, and those that wait for their call. */
import type { LineFault, SendFault } from '../../stand-ins.ts'

/** What may happen to a send. @since 0.2 */
export const SEND_FAULTS: readonly SendFault[] = ['busy', 'unavailable', 'lost', 'unanswered', 'forbidden']
/** What may happen to a connection and to what people write. @since 0.2 */
export const LINE_FAULTS: readonly LineFault[] = ['twice', 'late', 'flap', 'silence', 'logout']
/** Those of services that call svc: without a connection nothing can be silent. @since 0.2 */
export const CALL_FAULTS: readonly LineFault[] = ['twice', 'late', 'flap', 'logout']

/** Throws for a fault that a service does not have: a test that asks for it would prove nothing. @since 0.2 */
export function demandFault<Fault extends string>(known: readonly Fault[], fault: Fault): void {
  if (!known.includes(fault)) throw new Error(`This stand-in has no fault "${fault}", only ${known.join(', ')}.`)
}

/** Faults that wait for their call. @since 0.2 */
export class SendFaults {
  readonly #known: readonly SendFault[]
  readonly #waiting: SendFault[] = []

  constructor(known: readonly SendFault[] = SEND_FAULTS) {
    this.#known = known
  }

  add(fault: SendFault, count = 1): void {
    demandFault(this.#known, fault)
    for (let at = 0; at < count; at++) this.#waiting.push(fault)
  }

  next(): SendFault | undefined {
    return this.#waiting.shift()
  }

  clear(): void {
    this.#waiting.length = 0
  }
}
