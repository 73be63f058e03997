import type { Home } from '../sdk/home.ts';
type Environment = Readonly<Record<string, string | undefined>>;
/** Where things are kept unless SVC_HOME says otherwise: local application data on Windows, a hidden folder elsewhere. */
export declare function defaultRoot(env: Environment, platform?: NodeJS.Platform): string;
/** The home of a run. Nothing is made on disk. Throws `PROFILE_UNKNOWN`. */
export declare function locateHome(env: Environment, profile?: string): Home;
/** Makes the home if need be. Throws `HOME_UNUSABLE` with what to do. */
export declare function prepareHome(home: Home): void;
export {};
