/** Lines from the terminal, one prompt at a time: pasted and typed ahead lines keep their order and answer no question. */
import type { Interface } from 'node:readline'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { CliAskOptions } from '../../cli.ts'

/** Where lines come from and where prompts go. */
export interface LineTerminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly signal: AbortSignal
  /** Called for a Ctrl-C among the keys. */
  readonly interrupt: () => void
}

const CTRL_C = '\u0003'

export class Lines {
  readonly #terminal: LineTerminal
  readonly #history: string[] = []
  readonly #decoder = new StringDecoder('utf8')
  /** Keys that no prompt has read yet. */
  #ahead = ''

  constructor(terminal: LineTerminal) {
    this.#terminal = terminal
  }

  async ask(prompt: string, options: CliAskOptions = {}): Promise<string | undefined> {
    const { stdin, stdout, signal } = this.#terminal
    const editor = await openEditor(stdin, options.secret ? undefined : { stdout, history: this.#history })
    const end = AbortSignal.any([signal, ...(options.signal ? [options.signal] : [])])
    const close = () => editor.lines.close()
    end.addEventListener('abort', close, { once: true })
    stdin.once('end', close)
    try {
      // A pipe was written before any question; only a person can type too early.
      const takesAhead = options.typedAhead === true || !stdin.isTTY
      if (!takesAhead) await this.#setAside()
      if (end.aborted || (stdin.readableEnded && this.#ahead === '')) return undefined
      if (options.secret) stdout.write(prompt)
      return await this.#read(options.secret ? '' : prompt, editor, { ...options, takesAhead })
    } finally {
      end.removeEventListener('abort', close)
      stdin.off('end', close)
      close()
      if (options.secret) stdout.write('\n')
    }
  }

  /** The line editor gets one line at a time: it drops what follows the line in the same chunk. */
  #read(
    prompt: string,
    { keys, lines }: Editor,
    { typedAhead, signal, secret, takesAhead }: CliAskOptions & { readonly takesAhead: boolean },
  ): Promise<string | undefined> {
    const { stdin, interrupt } = this.#terminal
    let queue = takesAhead ? this.#ahead : ''
    if (takesAhead) this.#ahead = ''
    let isOpen = true
    const feed = () => {
      while (isOpen && queue !== '') {
        const piece = queue.slice(0, firstLine(queue))
        queue = queue.slice(piece.length)
        keys.emit('data', piece)
      }
    }
    const hear = (chunk: Uint8Array) => {
      queue += this.#decoder.write(Buffer.from(chunk))
      feed()
    }
    return new Promise((resolve) => {
      lines.once('close', () => {
        isOpen = false
        // An interrupted prompt keeps what was typed so far; an unanswered question does not.
        if (typedAhead && signal?.aborted) queue = lines.line + queue
        stdin.off('data', hear)
        stdin.pause()
        this.#keep(queue)
        resolve(undefined)
      })
      lines.once('SIGINT', interrupt)
      lines.question(prompt, (answer) => {
        if (!secret && answer.trim()) this.#history.unshift(answer)
        resolve(answer)
        lines.close()
      })
      stdin.on('data', hear)
      stdin.resume()
      feed()
      // The stream ended during an earlier prompt, so a last line without a line feed stays incomplete.
      if (stdin.readableEnded) lines.close()
    })
  }

  /** Reads what was typed before a question is shown. The editor has set raw mode: a line without its end is read as well. */
  async #setAside(): Promise<void> {
    const { stdin } = this.#terminal
    let heard = true
    const hear = (chunk: Uint8Array) => {
      heard = true
      this.#keep(this.#decoder.write(Buffer.from(chunk)))
    }
    stdin.on('data', hear)
    stdin.resume()
    // A round of the event loop reads what the terminal has; the first one only begins to read.
    for (let quiet = 0; quiet < 2; quiet = heard ? 0 : quiet + 1) {
      heard = false
      await new Promise((resolve) => setImmediate(resolve))
    }
    stdin.off('data', hear)
    stdin.pause()
  }

  /** Ctrl-C discards what was typed before it, as a terminal does. */
  #keep(keys: string): void {
    const stop = keys.lastIndexOf(CTRL_C)
    this.#ahead = stop < 0 ? this.#ahead + keys : keys.slice(stop + 1)
    if (stop >= 0) this.#terminal.interrupt()
  }
}

interface Editor {
  /** What the editor reads: `data` is emitted on it. */
  readonly keys: Readable
  readonly lines: Interface
}

/** Without `shown` nothing is echoed. */
async function openEditor(
  stdin: NodeJS.ReadStream,
  shown: { readonly stdout: NodeJS.WriteStream; readonly history: string[] } | undefined,
): Promise<Editor> {
  const { createInterface } = await import('node:readline')
  const { Readable, Writable } = await import('node:stream')
  const keys = Object.assign(new Readable({ read: () => {} }), {
    setRawMode: (raw: boolean) => stdin.setRawMode?.(raw),
  })
  const output = shown?.stdout ?? new Writable({ write: (_chunk, _encoding, done) => done() })
  const history = shown ? { history: shown.history, historySize: 500 } : {}
  return { keys, lines: createInterface({ input: keys, output, terminal: true, ...history }) }
}

/** The length of the first line with its end. */
function firstLine(keys: string): number {
  const at = keys.search(/[\r\n]/)
  if (at < 0) return keys.length
  return keys.startsWith('\r\n', at) ? at + 2 : at + 1
}
