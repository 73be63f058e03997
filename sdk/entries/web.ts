/** For HTTP and the web: servers and routes, the API, web search and fetching, browsers, images and speech. */
export {
  ApiAgent,
  type ApiItem,
  type ApiRequest,
  type ApiRoute,
  ApiRoutes,
  type ApiSession,
  type ApiTurn,
  defineApiRoute,
} from '../api.ts'
export type { FileFacts, FileKind } from '../attachments.ts'
export {
  Browser,
  type BrowserDialog,
  type BrowserMessage,
  type BrowserNotes,
  type BrowserSession,
  type BrowserTab,
  type BrowserTarget,
} from '../browser.ts'
export {
  Http,
  type HttpApp,
  type HttpLock,
  type HttpReply,
  type HttpRequest,
  type HttpRoute,
  type HttpSocket,
  type HttpSocketRoute,
  jsonReply,
  type ListeningApp,
  type MountedApp,
} from '../http.ts'
export { eventReply, serverEvent } from '../http-events.ts'
export { type JsonLimits, type ReadJson, readJson } from '../json-body.ts'
export {
  type FormFile,
  type HeardSpeech,
  type ImageBackend,
  ImageBackends,
  type ImageOrder,
  type MadeImage,
  type MediaAccount,
  type MediaFile,
  MediaFiles,
  type MediaRequest,
  multipartForm,
  type PaidCall,
  type Picture,
  type SpeechBackend,
  SpeechBackends,
  type SpeechEar,
  type SpeechFormat,
  type SpeechVoice,
  spend,
  Transcription,
} from '../media.ts'
export { weakSecret } from '../secrets.ts'
export type { ServiceCaller } from '../token.ts'
export {
  askWeb,
  askWebBytes,
  askWebText,
  UrlGuard,
  type WebBackend,
  WebBackends,
  type WebHit,
  type WebPage,
  type WebService,
  webService,
} from '../web.ts'
export { type WebFetchOptions, webError, webFetch } from '../web-fetch.ts'
