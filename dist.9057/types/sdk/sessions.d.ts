/** Sessions: conversations that outlive the process. Durable when a call returns. */
import type { TurnEvent, TurnEventBody } from './agent.ts';
import type { Message, Usage } from './messages.ts';
import { type Service } from './token.ts';
/** A session without its messages. */
export interface SessionSummary {
    readonly id: string;
    readonly surface: string;
    readonly title?: string;
    readonly cwd: string;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly messageCount: number;
    readonly usage: Usage;
}
/** What one step of a turn leaves behind, written in one transaction. */
export interface SessionRecord {
    readonly turnId: string;
    readonly events: readonly TurnEventBody[];
    /** Messages that become part of the conversation with it. */
    readonly messages?: readonly Message[];
    /** Survives a power cut, not only a crash of the process. For intents, outcomes and whole messages. */
    readonly sync?: boolean;
}
/** One conversation. */
export interface Session {
    readonly id: string;
    readonly cwd: string;
    /** The system prompt it was started with; set once. */
    systemPrompt(): string | undefined;
    setSystemPrompt(text: string): void;
    messages(): readonly Message[];
    /** Appends to the journal and returns the events with their places. They may be shown once this returns. */
    record(record: SessionRecord): readonly TurnEvent[];
    /** Events after `seq` (default all that are kept), oldest first. */
    events(afterSeq?: number): readonly TurnEvent[];
}
/** Provided by the plugin `sessions`. */
export interface Sessions {
    create(options: {
        readonly surface: string;
        readonly cwd: string;
        readonly title?: string;
    }): Session;
    /** Opens a session and closes a turn that a crash left open. Throws `SESSION_NOT_FOUND`. */
    open(id: string): Session;
    /** The session used last, of one surface or folder. */
    latest(where?: {
        readonly surface?: string;
        readonly cwd?: string;
    }): SessionSummary | undefined;
    list(options?: {
        readonly limit?: number;
    }): readonly SessionSummary[];
}
export declare const Sessions: Service<Sessions>;
