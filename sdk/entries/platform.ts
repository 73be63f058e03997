/** For platforms: chats that people write in, what arrives and leaves there, and who may write. */
export {
  Access,
  type AccessAction,
  type AccessRole,
  type AccessVerdict,
  type Pairing,
  type PairingRequest,
} from '../access.ts'
export type { MenuEntry, MenuLimits } from '../commands.ts'
export { commonMark, withBareAddresses } from '../common-mark.ts'
export {
  beforehand,
  busy,
  collectFile,
  type DeliveryFailure,
  deliveryFailure,
  type FailedAnswer,
  fileTooLarge,
  httpFailure,
  netFailure,
  patiently,
  refused,
  threadGone,
  unsure,
} from '../delivery.ts'
export {
  Gateway,
  type GatewayStatus,
  type OutboxCounts,
  PlatformChanged,
  type PlatformState,
  type PlatformStatus,
} from '../gateway.ts'
export { type HandOver, handOver } from '../hand-over.ts'
export { type Marks, type Markup, MessageText, type PieceLimits } from '../markup.ts'
export {
  type Delivery,
  DeliverySettled,
  type DeliveryState,
  type Destination,
  type KeptLetter,
  type Letter,
  type LetterFile,
  Outbox,
  type OutboxMessage,
  type OutboxPost,
} from '../outbox.ts'
export { type PlatformSettings, platformConfig, platformDefaults, type SessionReset } from '../platform-settings.ts'
export {
  type AccessVariables,
  type Button,
  type ChatKind,
  type Inbound,
  type InboundFile,
  type Notice,
  type Outbound,
  type OutboundEdit,
  type OutboundFile,
  type Overheard,
  type Platform,
  type PlatformLimits,
  type PlatformLink,
  Platforms,
  type Rate,
  type Reaction,
  type ReactionState,
  type ReadCursor,
  type Receipt,
  type Reception,
  type Sender,
} from '../platforms.ts'
