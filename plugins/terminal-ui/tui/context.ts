/** What plugins are given of a full screen. */
import type { TuiContext } from 'svc/sdk/terminal'
import type { Front } from './front.ts'

/** For one plugin; undefined: for this one. */
export function createContext(front: Front, owner?: string): TuiContext {
  return {
    get conversation() {
      return front.conversation
    },
    redraw: () => front.redraw(),
    show: (screen) => front.screens.show(screen),
    open: (view, place = {}) => front.screens.open(view, place, owner),
    toast: (text, tone) => void front.toast(text, tone),
    choose: (menu) => front.choose(menu),
    insert(text) {
      front.composer.insert(text)
      front.redraw()
    },
    get draft() {
      return front.composer.text
    },
    set draft(text) {
      front.composer.set(text)
      front.redraw()
    },
    field: () => front.field(),
    setTitle: (title) => front.setTitle(title),
    notify: (title, body) => front.notify(title, body),
    bell: () => front.screen.bell(),
    runProgram: (work) => front.runProgram(work),
    addEntry: (entry) => front.addEntry(entry),
    scrollTo: (message) => front.scrollTo(message),
  }
}
