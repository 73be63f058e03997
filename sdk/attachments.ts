/** Files that leave a turn: what tools attach to their results, and what messages carry to people. */

/** How people meet a file: they look at it, listen to it, watch it, or open it. @since 0.2 */
export type FileKind = 'image' | 'audio' | 'video' | 'document'

/** Facts that every outgoing file has. @since 0.2 */
export interface FileMetadata {
  /** The last part of a path, for people. Control characters, `/` and `\` are removed before it leaves. */
  readonly name: string
  /** Left out: by the end of its name. */
  readonly mediaType?: string
  /** Left out: by its media type. `document` sends a picture as a file, without recompression. */
  readonly kind?: FileKind
  /** Markdown. */
  readonly caption?: string
  /** Speech: a voice message where the platform has them and the file is Opus in Ogg, else a sound. */
  readonly isVoice?: true
}

/**
 * A file that a tool's result carries. The front end of the turn delivers it to the person with the answer: a chat sends it,
 * a terminal shows its path. It is read once, through `GuardedFiles`, soon after the result; what that guard refuses is not
 * delivered.
 * @since 0.1
 */
export interface ResultFile extends Omit<FileMetadata, 'name'> {
  /** Absolute. The file has to stay until the call's result was shown. */
  readonly path: string
  /** Left out: the last part of the path. */
  readonly name?: string
}

/** The kind that a media type belongs to. @since 0.2 */
export function classifyMediaType(mediaType: string): FileKind {
  const [top = ''] = mediaType.split('/')
  return top === 'image' || top === 'audio' || top === 'video' ? top : 'document'
}

/** Whether a value is a list of `ResultFile`s, as a `ToolResult` carries them. @since 0.2 */
export function isResultFileList(value: unknown): value is readonly ResultFile[] {
  if (!Array.isArray(value)) return false
  return value.every((file: unknown) => {
    const { path, name, mediaType, caption } = (file ?? {}) as Record<string, unknown>
    const isText = (text: unknown) => text === undefined || typeof text === 'string'
    return typeof path === 'string' && path !== '' && isText(name) && isText(mediaType) && isText(caption)
  })
}
