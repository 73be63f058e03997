/** Whether somebody wants to pay for titles. */
import type { AuxiliarySlot } from 'svc/sdk'

/** The kind of side work. */
export const SLOT = 'title'

/** Only with a model of its own: nobody is asked to pay the price of the chat's model for a few words. */
export function isWanted(slots: readonly AuxiliarySlot[]): boolean {
  return slots.some((each) => each.slot === SLOT && (each.model !== '' || each.provider !== 'auto'))
}
