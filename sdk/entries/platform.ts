/** For platforms: chats that people write in, what arrives and leaves there, and who may write. */
export { commonMarkMarkup, withBareUrls } from '../common-mark.ts'
export {
  beforeSending,
  classifyDeliveryError,
  type DeliveryFailure,
  deliveryBusy,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryRefused,
  deliveryThreadGone,
  deliveryUncertain,
  type FailedResponse,
  fileTooLargeError,
  readWithLimit,
  retryWhileBusy,
} from '../delivery.ts'
export {
  Gateway,
  type GatewayChat,
  type GatewayStatus,
  type OutboxStats,
  type PlatformState,
  type PlatformStatus,
} from '../gateway.ts'
export { type RetryUntilTakenOptions, retryUntilTaken } from '../hand-over.ts'
export { type ChunkLimits, type Delimiters, type Markup, MessageFormatter } from '../markup.ts'
export {
  type Delivery,
  type DeliveryState,
  type DirectOutboxMessage,
  Outbox,
  type OutboxContent,
  type OutboxFile,
  type OutboxMessage,
  type OutboxTarget,
  type QueuedDelivery,
} from '../outbox.ts'
export {
  type PlatformSettings,
  platformConfigSchema,
  platformSettingDefaults,
  type SessionReset,
} from '../platform-settings.ts'
export {
  type AccessEnvNames,
  type ChatType,
  type GatewayConnection,
  type InboundFile,
  type InboundMessage,
  type InboundResult,
  type MessageButton,
  type MessageOrigin,
  type MessageReaction,
  type OutboundFile,
  type OutboundMessage,
  type OutboundMessageEdit,
  type OverheardMessage,
  type Platform,
  type PlatformLimits,
  Platforms,
  type PrivateNotice,
  type RateLimit,
  type ReactionState,
  type ReadCursor,
  type SendReceipt,
} from '../platforms.ts'
export { type DryRunStep, PlatformDryRuns } from '../rehearsals.ts'
export {
  type LineFault,
  type SendFault,
  type StandIn,
  type StandInDelivery,
  type StandInMember,
  type StandInService,
  StandIns,
} from '../stand-ins.ts'
