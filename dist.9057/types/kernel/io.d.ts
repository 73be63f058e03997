/** The terminal or pipes that a command talks to. */
import type { Readable } from 'node:stream';
import type { CliIo } from '../sdk/cli.ts';
type Environment = Readonly<Record<string, string | undefined>>;
/** The streams of this process as a command sees them. */
export declare function processIo(env: Environment, signal: AbortSignal): CliIo;
/** https://no-color.org and the customary FORCE_COLOR. */
export declare function wantsColor(env: Environment, terminal: boolean): boolean;
/** All bytes of a stream, or `INPUT_TOO_LARGE`. */
export declare function readAll(stream: Readable, limit: number): Promise<Uint8Array>;
export {};
