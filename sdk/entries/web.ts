/** For HTTP and the web: servers and routes, the API, web search and fetching, browsers, images and speech. */
export {
  ApiAgent,
  type ApiConversation,
  ApiConversations,
  type ApiItem,
  type ApiRequest,
  type ApiRoute,
  ApiRoutes,
  type ApiSession,
  type ApiTurn,
  defineApiRoute,
} from '../api.ts'
export {
  Browser,
  type BrowserDialog,
  type BrowserSession,
  type BrowserTab,
  type BrowserTabEvents,
  type CdpTarget,
  type ConsoleMessage,
} from '../browser.ts'
export {
  Http,
  type HttpApp,
  type HttpAppInfo,
  type HttpAuth,
  type HttpPass,
  type HttpRequest,
  type HttpResponse,
  type HttpRoute,
  type HttpSocket,
  type HttpSocketRoute,
  jsonResponse,
  type MountedApp,
} from '../http.ts'
export { eventStreamResponse, formatServerEvent } from '../http-events.ts'
export { type JsonBodyLimits, type JsonBodyResult, parseJsonBody } from '../json-body.ts'
export {
  defineRpcMethod,
  Rpc,
  type RpcCaller,
  type RpcConnection,
  type RpcMethod,
  RpcMethods,
  type RpcTransport,
} from '../rpc.ts'
export {
  type ApiClient,
  createApiClient,
  fetchBytes,
  fetchJson,
  fetchText,
  SafeFetch,
  type SearchResult,
  type WebPage,
  type WebSearchProvider,
  WebSearchProviders,
} from '../web.ts'
export { createFetch, type FetchOptions, toApiError } from '../web-fetch.ts'
