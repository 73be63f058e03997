/** Environment variables and secrets by name, and the masking of their values. */
import type { Secrets } from '../sdk/secrets.ts';
type Values = Readonly<Record<string, string | undefined>>;
/** Secrets of one home. `dotenv` gives the values of `.env` as they are now. */
export declare class SecretTable implements Secrets {
    #private;
    constructor(env: Values, dotenv: () => Values);
    get(name: string): string | undefined;
    source(name: string): 'environment' | '.env' | undefined;
    mask(text: string): string;
}
export {};
