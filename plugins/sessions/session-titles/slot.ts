/** Whether titles may cost money. */
import type { AuxiliarySlotInfo } from 'svc/sdk/provider'

/** The kind of side work. */
export const SLOT = 'title'

/** Only with its own model: the chat's model is too expensive for a few words. */
export function isWanted(slots: readonly AuxiliarySlotInfo[]): boolean {
  return slots.some((each) => each.slot === SLOT && (each.model !== '' || each.provider !== 'auto'))
}
