/** A model that says what the test scripted. */
import type { EmbeddedPlugin } from 'svc';
import type { ToolCall, Usage } from '../messages.ts';
import { type ModelFailure, type ModelRequest } from '../providers.ts';
/** One answer of the model: plain text, or more precisely. */
export type ScriptedReply = string | {
    readonly text?: string;
    /** The text in these pieces instead. */
    readonly pieces?: readonly string[];
    readonly reasoning?: string;
    readonly calls?: readonly (Partial<ToolCall> & {
        readonly name: string;
    })[];
    readonly usage?: Usage;
    readonly failure?: Partial<ModelFailure> & {
        readonly kind: ModelFailure['kind'];
    };
    /** Waits for this before the first event. */
    readonly gate?: Promise<unknown>;
};
/** The plugin to hand to `testKernel({ with: [...] })`, and what it was asked. */
export interface FakeProvider {
    readonly plugin: EmbeddedPlugin;
    readonly requests: readonly ModelRequest[];
}
/**
 * Contributes the provider `fake`, which gives the replies in order and then repeats the last. Configure it with
 * `model: { provider: 'fake', default: 'fake-1' }`. `script` may also be a function of the request.
 */
export declare function fakeProvider(script: readonly ScriptedReply[] | ((request: ModelRequest, call: number) => ScriptedReply)): FakeProvider;
