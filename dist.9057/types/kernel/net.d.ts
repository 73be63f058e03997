import type { Clock, Net, NetRequest, NetResponse } from '../sdk/ports.ts';
/** Keeps connections open between requests, and one TLS context per process. */
export declare class HttpClient implements Net {
    #private;
    constructor(clock: Clock);
    request(request: NetRequest): Promise<NetResponse>;
    /** Ends every connection. */
    close(): void;
}
