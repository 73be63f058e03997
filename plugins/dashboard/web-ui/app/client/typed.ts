/** Requests and calls with the types of the server: what a route or a method does not know fails the type check. */
import { request } from './api.ts'
import type { Methods, Routes } from './contract.ts'
import { rpc } from './rpc.ts'

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type PathOf<V extends Verb> = keyof Routes extends infer Key ? (Key extends `${V} ${infer Path}` ? Path : never) : never
type RouteOf<V extends Verb, P extends string> = Routes[`${V} ${P}` & keyof Routes]
/** What stands in the path, by its names, and what follows it. */
type PlaceOf<V extends Verb, P extends string> = RouteOf<V, P>['params'] & RouteOf<V, P>['query']
export type ResultOf<V extends Verb, P extends string> = RouteOf<V, P>['result']
export type BodyOf<V extends Verb, P extends string> = RouteOf<V, P>['body']

/** Nothing has to be given where everything may be left out. */
type Given<T> = Record<string, never> extends T ? readonly [given?: T] : readonly [given: T]
/** The same, and what ends the request. */
type Asked<T> =
  Record<string, never> extends T
    ? readonly [given?: T, signal?: AbortSignal | undefined]
    : readonly [given: T, signal?: AbortSignal | undefined]

export const api = {
  get: <P extends PathOf<'GET'>>(path: P, place: PlaceOf<'GET', P>, signal?: AbortSignal) =>
    ask<ResultOf<'GET', P>>('GET', path, place, { ...(signal && { signal }) }),
  post: <P extends PathOf<'POST'>>(
    path: P,
    body: RouteOf<'POST', P>['body'],
    ...[place, signal]: Asked<PlaceOf<'POST', P>>
  ) => ask<ResultOf<'POST', P>>('POST', path, place, { body: body ?? {}, ...(signal && { signal }) }),
  put: <P extends PathOf<'PUT'>>(path: P, body: RouteOf<'PUT', P>['body'], ...place: Given<PlaceOf<'PUT', P>>) =>
    ask<ResultOf<'PUT', P>>('PUT', path, place[0], { body }),
  patch: <P extends PathOf<'PATCH'>>(
    path: P,
    body: RouteOf<'PATCH', P>['body'],
    ...place: Given<PlaceOf<'PATCH', P>>
  ) => ask<ResultOf<'PATCH', P>>('PATCH', path, place[0], { body }),
  remove: <P extends PathOf<'DELETE'>>(path: P, place: PlaceOf<'DELETE', P>, body?: RouteOf<'DELETE', P>['body']) =>
    ask<ResultOf<'DELETE', P>>('DELETE', path, place, { ...(body !== undefined && { body }) }),
}

export type AnswerOf<M extends keyof Methods> = Methods[M]['result']

/** Calls a method of JSON-RPC. Rejects as `rpc.call` does. */
export function call<M extends keyof Methods>(method: M, ...params: Given<Methods[M]['params']>): Promise<AnswerOf<M>> {
  return rpc.call(method, params[0] as object | undefined)
}

function ask<T>(
  method: Verb,
  path: string,
  place: object = {},
  options: { readonly body?: unknown; readonly signal?: AbortSignal },
): Promise<T> {
  const query = { ...place } as Record<string, string | number | boolean | undefined>
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = query[name]
    delete query[name]
    return encodeURIComponent(String(value))
  })
  return request<T>(method, filled, { query, ...options })
}
