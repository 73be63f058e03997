/** What listens: servers of which plugins own parts. Plugin `http` owns the servers, their limits and their locks. */

import { defineService, type Service, type ServiceCaller } from './declarations.ts'
import type { Dispose } from './plugin.ts'
import type { Schema } from './schema.ts'

/** One request. Its body was read, within the limit of its route. @since 0.1 */
export interface HttpRequest {
  readonly method: string
  /** As it was asked for, with its query. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Names in lower case; of repeated ones the last. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Who connected; what proxies say of it is not believed. */
  readonly address: string
  /** The port that it connected from. */
  readonly remotePort?: number | undefined
  /** Aborted when the client disconnects before the reply was written. */
  readonly signal: AbortSignal
}

/** Its reply. An async iterable body is streamed, and its iteration stops when the client disconnects. @since 0.2 */
export interface HttpResponse {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

/** Whether a request may pass; an object if so: what its reply gets besides. @since 0.2 */
export type HttpPass = boolean | { readonly headers: Readonly<Record<string, string>> }

/** How a request proves itself. The server asks; a handler never sees a request that failed. @since 0.2 */
export type HttpAuth =
  /** No authentication: for health checks only, not for requests that do work. */
  | { readonly kind: 'public' }
  /**
   * `Authorization: Bearer`, compared in constant time; undefined locks it for everybody. `others` are keys that open it, too, for apps
   * with several clients.
   */
  | { readonly kind: 'bearer'; secret(): string | undefined; others?(): readonly string[] }
  /**
   * A credential that its app knows, in the head of the request: the token of a session, a cookie, a ticket of the query. Asked
   * before the body is read, which `check` gets empty, and before an upgrade. It returns whether the request may pass, or the
   * headers of the reply to one that may: a renewed cookie. `isSet` tells whether a client has one: without, nothing is opened
   * where others can reach it.
   */
  | {
      readonly kind: 'credential'
      check(request: HttpRequest): HttpPass | Promise<HttpPass>
      isSet(): boolean
    }
  /** A proof over the request itself, such as a signature. `false` is answered with 401 or `status`. */
  | { readonly kind: 'signed'; check(request: HttpRequest): boolean | Promise<boolean>; readonly status?: number }

/** One path and method. @since 0.1 */
export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Below the prefix of its app, with parameters: `/responses/:id`. One that ends in `/*` has everything below it that no other
   * route has, of this app or of another one on the server; `params['*']` is the rest.
   */
  readonly path: string
  /** Left out: that of the app. */
  readonly lock?: HttpAuth
  /** Bytes of a body (default 1 MiB); more is refused before it is read. */
  readonly maxBytes?: number
  /** For the description of the API. */
  readonly summary?: string
  readonly query?: Schema<unknown>
  readonly request?: Schema<unknown>
  readonly response?: Schema<unknown>
  handle(request: HttpRequest): Promise<HttpResponse>
}

/**
 * A client over a WebSocket (RFC 6455). Only text messages are taken, and a binary one closes the connection with 1003, unless
 * its route says `isBinary`.
 * @since 0.1
 */
export interface HttpSocket extends Disposable {
  /** The request that was upgraded. Its signal aborts as soon as the connection is closed or its app is removed. */
  readonly request: HttpRequest
  /**
   * Messages in the order of their arrival, read by one reader; ends when the client closes. They are kept until they are
   * read: a client that sends more than 64 ahead, or more bytes than one message may have, is disconnected with 1008.
   */
  readonly messages: AsyncIterable<string>
  /** Instead of `messages` where the route says `isBinary`: text messages as texts, binary ones as bytes. */
  readonly frames: AsyncIterable<string | Uint8Array>
  /** Bytes that wait for the network: what a client that stops reading costs. */
  readonly waitingBytes: number
  /**
   * Sends a text message, or a binary one. Resolves when it was passed to the network, and at once if the client has
   * disconnected. Never rejects.
   */
  send(data: string | Uint8Array): Promise<void>
  /**
   * Closes the connection behind what was sent, with 1000 or a code of RFC 6455, 7.4 (those of programs are 4000 to 4999) and a
   * reason of at most 123 bytes; `messages` end.
   */
  close(code?: number, reason?: string): void
}

/**
 * One path that is upgraded to a WebSocket. Host, origin and lock are checked before the upgrade, as for routes.
 * @since 0.1
 */
export interface HttpSocketRoute {
  /** Below the prefix of its app, without parameters. May be the path of a route, too. */
  readonly path: string
  /** Left out: that of the app. */
  readonly lock?: HttpAuth
  /** Bytes of one message (default 1 MiB); a longer one closes the connection with 1009. */
  readonly maxBytes?: number
  /** Takes binary messages, too, which are read from `frames`. */
  readonly isBinary?: true
  /** Called for each connection, which is closed when the promise settles: with 1000, or with 1011 after a rejection. */
  handle(socket: HttpSocket): Promise<void>
}

/** Part of a server. Those with one host and port share it and must not share paths. @since 0.1 */
export interface HttpApp {
  readonly name: string
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Begins with a slash and does not end with one; empty for all paths. */
  readonly prefix: string
  readonly lock: HttpAuth
  readonly routes: readonly HttpRoute[]
  readonly sockets?: readonly HttpSocketRoute[]
  /**
   * Origins of browsers that may ask, `*` for all, or what tells whether one may, with the header `Host` of the request; left out:
   * none may.
   */
  readonly origins?: readonly string[] | ((origin: string, host: string | undefined) => boolean)
  /**
   * Names by which clients reach it, besides those of `http.hosts`: that of a reverse proxy. Requests that name another host are
   * refused; names of this machine are its own, and so is every IP address where others can connect. Left out: where others can
   * connect any name is taken.
   */
  readonly hosts?: readonly string[]
  /** Sent with every reply. */
  readonly headers?: Readonly<Record<string, string>>
  /** Formats a failure for the API; left out: `{"error": message}`. Also called for requests that the server itself rejects. */
  failure?(error: {
    readonly status: number
    readonly code: string
    readonly message: string
    /** The field that it is about. */
    readonly param?: string
  }): HttpResponse
}

/** An app that listens. @since 0.1 */
export interface MountedApp extends AsyncDisposable {
  readonly port: number
  /** `http://host:port` with the prefix, for people. */
  readonly url: string
  readonly close: Dispose
}

/** An app in the list of doors. @since 0.2 */
export interface HttpAppInfo extends HttpApp {
  /** As a program of this machine reaches it. */
  readonly url: string
  /** What it is bound to, as `host:port`; `0.0.0.0` and `::` are every address of the machine. */
  readonly bound: string
  /** Whether other machines can connect: it is bound to more than loopback. */
  readonly isReachable: boolean
}

/** Provided by the plugin `http`. @since 0.1 */
export interface Http {
  /**
   * Listens. Throws `HTTP_OPEN_DOOR` when a route without a lock would do work where others can reach it or a lock has no
   * secret on an address that is not loopback, `HTTP_PORT_TAKEN`, `HTTP_PATH_TAKEN`. Of two apps with the same path the
   * first one stays, but a built-in one replaces that of a plugin that a user installed, which is reported. An app of the
   * same plugin, name and prefix is the older generation and gives way. The kernel gives the `caller`.
   */
  mount(app: HttpApp, caller?: ServiceCaller): Promise<MountedApp>
  /** All that is mounted, for the list of doors. */
  apps(): readonly HttpAppInfo[]
}
export const Http: Service<Http> = defineService('http', { registers: ['mount'], callers: ['mount'] })

/** A reply of JSON. @since 0.2 */
export function jsonResponse(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}
