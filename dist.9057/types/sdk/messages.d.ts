/** The conversation: what a model is sent and what it answered. Plain data everywhere. */
/** A picture in a message. `data` is base64. */
export interface Image {
    readonly mediaType: string;
    readonly data: string;
}
/** One request of the model to run a tool. `input` is parsed JSON, or the raw text when it did not parse. */
export interface ToolCall {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
}
/** One entry of a conversation. A `tool` message answers the call with its `callId`. */
export type Message = {
    readonly role: 'system';
    readonly text: string;
} | {
    readonly role: 'user';
    readonly text: string;
    readonly images?: readonly Image[];
} | {
    readonly role: 'assistant';
    readonly text: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly reasoning?: string;
} | {
    readonly role: 'tool';
    readonly callId: string;
    readonly text: string;
    readonly images?: readonly Image[];
};
/** Tokens of one or several model calls. A count that the provider did not report is undefined, never zero. */
export interface Usage {
    readonly input?: number;
    readonly output?: number;
    readonly cachedInput?: number;
    readonly reasoning?: number;
}
