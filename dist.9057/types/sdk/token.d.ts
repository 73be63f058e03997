/**
 * Tokens: the typed constants by which everything shared is named.
 * A token is identified by its `id`, so two copies of the SDK agree; its types never exist at run time.
 */
/** What a listener is told besides the value. `signal` aborts when its time limit is over. */
export interface CallInfo {
    readonly hook: string;
    readonly signal: AbortSignal;
}
/** How listeners of a hook are run; it also fixes what a failing listener means. */
export type HookKind = 'notify' | 'transform' | 'decide' | 'wrap';
/**
 * A moment that plugins may listen to. Made by `notify`, `transform`, `decide` or `wrap`.
 * `L` is the listener, `V` the value called with, `C` the context (or the innermost function of a wrap), `R` the result.
 */
export interface Hook<L, V, C, R> {
    readonly id: string;
    readonly kind: HookKind;
    /** Milliseconds one listener may take. */
    readonly limitMs: number;
    /** `decide`: the verdict that stands when a listener fails, times out or is suspended. */
    readonly verdict?: (error: unknown) => unknown;
    /** `wrap`: whether a failing listener is left out or fails the call. */
    readonly failure?: 'skip' | 'fail';
    /** Types only; never set. */
    readonly _types?: {
        listener: L;
        value: V;
        context: C;
        result: R;
    };
}
type May<T> = T | undefined | void | Promise<T | undefined | void>;
/** A hook whose listeners are told, in order. A failing listener is skipped and reported. */
export type NotifyHook<E> = Hook<(event: E, call: CallInfo) => void | Promise<void>, E, undefined, void>;
/** A hook whose listeners rewrite a value in turn; `undefined` means unchanged. A failing listener leaves it as it was. */
export type TransformHook<V, C = undefined> = Hook<(value: V, context: C, call: CallInfo) => May<V>, V, C, V>;
/** A hook whose first verdict wins; `undefined` abstains. A failing listener counts as the declared verdict. */
export type DecideHook<E, R> = Hook<(event: E, call: CallInfo) => May<R>, E, undefined, R | undefined>;
/** A hook around a piece of work. A listener gets `next` and may change what goes in and what comes out. */
export type WrapHook<I, O> = Hook<(input: I, next: (input: I) => Promise<O>, call: CallInfo) => Promise<O>, I, (input: I) => Promise<O>, O>;
/** Declares a `notify` hook. `limitMs` bounds each listener (default 5,000). */
export declare function notify<E>(id: string, options?: {
    limitMs?: number;
}): NotifyHook<E>;
/** Declares a `transform` hook. `limitMs` bounds each listener (default 5,000). */
export declare function transform<V, C = undefined>(id: string, options?: {
    limitMs?: number;
}): TransformHook<V, C>;
/** Declares a `decide` hook. `verdict` is what a failing listener counts as: gates fail closed. */
export declare function decide<E, R>(id: string, options: {
    verdict: (error: unknown) => NonNullable<R>;
    limitMs?: number;
}): DecideHook<E, R>;
/**
 * Declares a `wrap` hook. `failure: 'skip'` runs the rest without a listener that fails before calling `next`;
 * `'fail'` fails the call. `limitMs` covers the listener and all it wraps (default 0: no limit).
 */
export declare function wrap<I, O>(id: string, options: {
    failure: 'skip' | 'fail';
    limitMs?: number;
}): WrapHook<I, O>;
/** Something one plugin provides and others use by its interface `T`. */
export interface Service<T> {
    readonly id: string;
    readonly _type?: T;
}
/** Declares a service. */
export declare function service<T>(id: string): Service<T>;
/** A list that plugins add to. `key` names an item, `aliases` are its other names; each may be taken once. */
export interface Point<T> {
    readonly id: string;
    readonly key: (item: T) => string;
    readonly aliases?: (item: T) => readonly string[];
}
/** Declares a contribution point. */
export declare function point<T>(id: string, key: (item: T) => string, aliases?: (item: T) => readonly string[]): Point<T>;
export {};
