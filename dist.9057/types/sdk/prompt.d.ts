/** The system prompt, made of parts. Built once per conversation so that its bytes stay the same. */
import type { TurnInfo } from './agent.ts';
import { type Point } from './token.ts';
/** Contributed to `PromptParts`; parts are joined by tier, then by name. */
export interface PromptPart {
    readonly name: string;
    /** `stable`: same for every session; `context`: of the working folder; `volatile`: of this session. */
    readonly tier: 'stable' | 'context' | 'volatile';
    /** The text, or undefined to stay out. */
    text(turn: TurnInfo & {
        readonly cwd: string;
        readonly tools: readonly string[];
    }): string | undefined | Promise<string | undefined>;
}
export declare const PromptParts: Point<PromptPart>;
