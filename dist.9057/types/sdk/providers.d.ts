/** Model providers: whoever turns a conversation into a stream of events. */
import type { Message, ToolCall, Usage } from './messages.ts';
import { type Point } from './token.ts';
/** A tool as a model sees it. `parameters` is JSON Schema. */
export interface ToolDefinition {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
}
/** One call of a model. */
export interface ModelRequest {
    readonly model: string;
    readonly messages: readonly Message[];
    readonly tools: readonly ToolDefinition[];
    readonly signal: AbortSignal;
    readonly maxOutputTokens?: number;
    /** The working folder of the turn. */
    readonly cwd?: string;
}
/**
 * What a model does, in order. Failure is an event, not an exception: `failed` ends the stream.
 * `end` comes last otherwise; `length` means that the output limit cut the answer.
 */
export type ModelEvent = {
    readonly type: 'text';
    readonly text: string;
} | {
    readonly type: 'reasoning';
    readonly text: string;
} | {
    readonly type: 'tool-call';
    readonly call: ToolCall;
} | {
    readonly type: 'usage';
    readonly usage: Usage;
} | {
    readonly type: 'failed';
    readonly failure: ModelFailure;
} | {
    readonly type: 'end';
    readonly reason: 'stop' | 'tool-calls' | 'length' | 'filtered';
};
/** Why a model call failed, classified so that the agent knows what to do. */
export interface ModelFailure {
    readonly kind: 'auth' | 'billing' | 'rate-limit' | 'overloaded' | 'server' | 'timeout' | 'unreachable' | 'cut' | 'context-overflow' | 'model-not-found' | 'invalid' | 'garbled' | 'aborted' | 'unknown';
    /** A sentence for people that says what to do. */
    readonly message: string;
    readonly retryable: boolean;
    readonly status?: number;
    /** From `Retry-After`. */
    readonly retryAfterMs?: number;
}
/** A model that can be chosen. Unknown numbers stay undefined. */
export interface ModelInfo {
    readonly id: string;
    readonly label?: string;
    /** Tokens the model can read. */
    readonly contextWindow?: number;
    readonly maxOutputTokens?: number;
}
/** Contributed to `Providers`. */
export interface ModelProvider {
    /** The id in `model.provider`. */
    readonly name: string;
    readonly label: string;
    /** Whether it could be used now, and the sentence that says why or why not. Quick; may look at loopback ports. */
    status(): Promise<{
        readonly ready: boolean;
        readonly detail: string;
        readonly local?: boolean;
    }>;
    /** The models it serves; empty when it cannot tell. */
    models(): Promise<readonly ModelInfo[]>;
    /** Yields events, one by one or in batches as they came off the wire. Never throws. */
    stream(request: ModelRequest): AsyncIterable<ModelEvent | readonly ModelEvent[]>;
}
export declare const Providers: Point<ModelProvider>;
