/** A chat platform as data: what it is, and the mapping between its API and svc. */
import type { PlatformSettings } from '../../platform-settings.ts'
import type {
  AccessEnvNames,
  InboundFile,
  InboundMessage,
  MessageReaction,
  OutboundMessage,
  OutboundMessageEdit,
  PlatformLimits,
  SendReceipt,
} from '../../platforms.ts'
import type { Clock, Net, Random } from '../../ports.ts'
import type { PlatformApi, PlatformApiOptions } from './api.ts'

/** The settings that every described platform has. @since 0.2 */
export interface DescribedSettings extends PlatformSettings {
  readonly base_url: string
}

/** What the parts of a description work with. @since 0.2 */
export interface PlatformContext<Settings extends DescribedSettings = DescribedSettings> {
  readonly settings: Settings
  readonly clock: Clock
  readonly net: Net
  readonly random: Random
  /** Of the API: the variable `addressFrom`, else `base_url`, without a slash at its end. */
  readonly address: string
  /** A variable of the environment or of `.env`; empty if it is not set. */
  secret(name: string): string
}

/** The same while it is connected. @since 0.2 */
export interface ConnectedContext<Me, Settings extends DescribedSettings = DescribedSettings>
  extends PlatformContext<Settings> {
  /** What `identify` resolved with; what the platform remembers of a connection can be kept there. */
  readonly me: Me
}

/** A message as a description reads it. @since 0.2 */
export type DescribedMessage = Omit<InboundMessage, 'platform'>

/** What platforms of every kind describe. @since 0.2 */
export interface PlatformDescription<Me, Settings extends DescribedSettings = DescribedSettings> {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly access: AccessEnvNames
  /** Of its messages. Each is committed to, see `PlatformLimits.commits`. */
  readonly limits: PlatformLimits
  /** Default address of the API; empty for a service that people run themselves. */
  readonly baseUrl: string
  /** The variable with the address of the API, for a service that people run themselves. */
  readonly addressFrom?: string
  /** Variables that it needs. */
  readonly needs: readonly string[]
  /** Variables that tell one account from another (default: the first of `needs`). */
  readonly accountFrom?: readonly string[]
  readonly api: (
    context: PlatformContext<Settings>,
  ) => Omit<PlatformApiOptions, 'label' | 'baseUrl' | 'net' | 'clock' | 'random' | 'onLogOut'>
  /** Whose account it is, by the service; throws as `PlatformApi.ask` does. Also the proof that the connection works. */
  identify(api: PlatformApi, context: PlatformContext<Settings>): Promise<Me>
  /** As `Platform.contact`; the account is known. */
  contact?(context: ConnectedContext<Me, Settings>): string | undefined
  /** Throws as `PlatformApi.ask` does, or `deliveryRefused`. */
  send(message: OutboundMessage, api: PlatformApi, context: ConnectedContext<Me, Settings>): Promise<SendReceipt>
  /** As `Platform.find`. */
  find?(
    message: OutboundMessage,
    api: PlatformApi,
    context: ConnectedContext<Me, Settings>,
  ): Promise<SendReceipt | undefined>
  /** Throws as `send` does. */
  edit?(message: OutboundMessageEdit, api: PlatformApi, context: ConnectedContext<Me, Settings>): Promise<void>
  react?(reaction: MessageReaction, api: PlatformApi, context: ConnectedContext<Me, Settings>): Promise<void>
  fetch?(
    file: InboundFile,
    api: PlatformApi,
    options: ConnectedContext<Me, Settings> & { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array>
  typing?(
    chatId: string,
    api: PlatformApi,
    options: ConnectedContext<Me, Settings> & { readonly threadId?: string; readonly signal?: AbortSignal },
  ): Promise<void>
}
