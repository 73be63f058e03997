/** `svc/sdk/kit/net`: text WebSockets, lines and server-sent events. */
export { type EventOptions, readEvents, type ServerSentEvent } from './events.ts'
export { encodeJsonBody, readJsonBody } from './json.ts'
export { type LineLimit, readLines, splitLines } from './lines.ts'
export { openTextSocket, type TextSocket, type TextSocketEvents, type TextSocketOptions } from './text-socket.ts'
