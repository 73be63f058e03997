/** Chat platforms: where people write and are answered. */
import { type Point } from './token.ts';
/** A message that came in. Ids are the platform's own, immutable ones: never display names. */
export interface Inbound {
    readonly platform: string;
    readonly chatId: string;
    readonly userId: string;
    /** The platform's id of this message, by which a repeated delivery is known. */
    readonly messageId: string;
    readonly text: string;
    /** For people only; no right hangs on it. */
    readonly userName?: string;
}
/** A message that goes out. `key` is the same when it is tried again. */
export interface Outbound {
    readonly chatId: string;
    readonly text: string;
    readonly key: string;
}
/** What the platform said of a message it took. */
export interface Receipt {
    readonly messageId: string;
}
/** What a platform can do; the gateway cuts and paces by it. */
export interface PlatformLimits {
    /** Longest text of one message, in characters. */
    readonly maxTextLength: number;
    /** A repeated `send` with one `key` makes one message. */
    readonly idempotentSend: boolean;
}
/** What a platform is given when it connects. */
export interface PlatformLink {
    /** Takes a message. Resolves once it is safe; until then the platform must not acknowledge it. */
    receive(message: Inbound): Promise<void>;
    /** The connection is known to be gone. `final` means that trying again is useless. */
    lost(reason: string, options?: {
        readonly final?: boolean;
    }): void;
    readonly signal: AbortSignal;
}
/** Contributed to `Platforms`. */
export interface Platform {
    readonly name: string;
    readonly label: string;
    readonly limits: PlatformLimits;
    /** Resolves when messages flow; throws a `SvcError` that says what to fix. */
    connect(link: PlatformLink): Promise<void>;
    send(message: Outbound): Promise<Receipt>;
    edit?(chatId: string, messageId: string, text: string): Promise<void>;
    typing?(chatId: string): Promise<void>;
    /** A round trip that proves the connection. */
    probe(): Promise<boolean>;
    close(): Promise<void>;
}
export declare const Platforms: Point<Platform>;
