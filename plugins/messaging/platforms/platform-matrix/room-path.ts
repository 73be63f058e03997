/** Where a room is in the client-server API. */
export function roomPath(roomId: string): string {
  return `/client/v3/rooms/${encodeURIComponent(roomId)}`
}
