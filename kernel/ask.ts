/** Lines from the terminal, one prompt at a time: pasted and typed ahead lines keep their order and answer no question. */
import { StringDecoder } from 'node:string_decoder'
import type { AskOptions } from '../sdk/cli.ts'

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

  async ask(
    prompt: string,
    { secret = false, typedAhead = false, signal }: AskOptions = {},
  ): Promise<string | undefined> {
    const { stdin, stdout, interrupt } = this.#terminal
    const { createInterface } = await import('node:readline')
    const { Readable, Writable } = await import('node:stream')
    const end = AbortSignal.any([this.#terminal.signal, ...(signal ? [signal] : [])])
    // A pipe was written before any question; only a person can type too early.
    const takesAhead = typedAhead || !stdin.isTTY
    if (!takesAhead) await this.#setAside()
    if (end.aborted || (stdin.readableEnded && this.#ahead === '')) return undefined
    let queue = ''
    if (takesAhead) [queue, this.#ahead] = [this.#ahead, '']
    // The editor gets one line at a time: it drops what follows the line in the same chunk.
    const keys = Object.assign(new Readable({ read: () => {} }), {
      setRawMode: (raw: boolean) => stdin.setRawMode?.(raw),
    })
    const output = secret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stdout
    const history = secret ? {} : { history: this.#history, historySize: 500 }
    const editor = createInterface({ input: keys, output, terminal: true, ...history })
    if (secret) stdout.write(prompt)
    let isOpen = true
    const feed = () => {
      while (isOpen && queue !== '') {
        const size = firstLine(queue)
        const piece = queue.slice(0, size)
        queue = queue.slice(size)
        keys.emit('data', piece)
      }
    }
    const hear = (chunk: Uint8Array) => {
      queue += this.#decoder.write(Buffer.from(chunk))
      feed()
    }
    const close = () => editor.close()
    end.addEventListener('abort', close, { once: true })
    stdin.once('end', close)
    try {
      return await new Promise<string | undefined>((resolve) => {
        editor.once('close', () => {
          isOpen = false
          // An interrupted prompt keeps what was typed so far; an unanswered question does not.
          if (typedAhead && signal?.aborted) queue = editor.line + queue
          stdin.off('data', hear)
          stdin.pause()
          this.#keep(queue)
          resolve(undefined)
        })
        editor.once('SIGINT', interrupt)
        editor.question(secret ? '' : prompt, (answer) => {
          if (!secret && answer.trim()) this.#history.unshift(answer)
          resolve(answer)
          editor.close()
        })
        stdin.on('data', hear)
        stdin.resume()
        feed()
      })
    } finally {
      end.removeEventListener('abort', close)
      stdin.off('end', close)
      if (secret) stdout.write('\n')
    }
  }

  /** Reads what was typed before a question is shown. In raw mode a line without its end is read as well. */
  async #setAside(): Promise<void> {
    const { stdin } = this.#terminal
    let heard = true
    const hear = (chunk: Uint8Array) => {
      heard = true
      this.#keep(this.#decoder.write(Buffer.from(chunk)))
    }
    stdin.setRawMode(true)
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

/** The length of the first line with its end. */
function firstLine(keys: string): number {
  const at = keys.search(/[\r\n]/)
  if (at < 0) return keys.length
  return keys.startsWith('\r\n', at) ? at + 2 : at + 1
}
