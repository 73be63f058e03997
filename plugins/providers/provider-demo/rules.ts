/** How people ask: a table of phrases, tried from top to bottom. A new phrase is a new row. */
import {
  createEmpty,
  list,
  type Made,
  matching,
  openOrList,
  parseFileNames,
  run,
  search,
  sum,
  write,
} from './intent.ts'

/** A way to ask, and what it means. */
export interface Rule {
  /** Matches the whole request; its groups go to `make`. */
  readonly pattern: RegExp
  /** Undefined passes the request on to the rows below. */
  readonly make: (words: Readonly<Record<string, string | undefined>>) => Made
}

/** A name without spaces, or in quotes. */
const NAME = String.raw`(?:"[^"]+"|'[^']+'|“[^”]+”|\`[^\`]+\`|[^\s"'“\`]\S*)`
const EXTENSION =
  '(?:md|txt|json|ya?ml|toml|csv|xml|html|css|m?[jt]sx?|py|sh|rs|go|java|c|h|cpp|rb|php|sql|pdf|png|jpe?g|svg)'
const IN = '(?:in|inside|within|under|at|of|from)'
const SHOW = '(?:list|show|display|print|give|tell|get|see)(?: me)?'
const NEW_FILE = '(?:an? |the )?(?:new )?(?:empty )?(?:text )?'
const WITH =
  '(?: file)?,? (?:with|containing|that (?:says|contains|reads)|which (?:says|contains)|saying|and (?:write|put))(?: in(?:to)? it)?'
const OCCURRENCES =
  '(?: all)?(?: of)?(?: the)?(?: (?:lines?|files?|places?|occurrences?|mentions?|uses?)(?: (?:of|with|that (?:contain|mention|have|use)|containing|mentioning|using))?)?'

/** Compiles a phrase for whole requests out of its parts. */
function ask(...parts: readonly string[]): RegExp {
  return new RegExp(`^(?:${parts.join('')})$`, 'is')
}

const talk = (kind: 'help' | 'greet' | 'identify' | 'thank' | 'date') => () => [{ kind }]

export const RULES: readonly Rule[] = [
  {
    pattern: ask(
      `(?:hi|hello|hey|howdy|hallo|greetings|good (?:morning|afternoon|evening|day))`,
      `(?: (?:there|all|demo|svc))?`,
    ),
    make: talk('greet'),
  },
  {
    pattern: ask(
      `(?:thanks?|thank you|thx|cheers|great|nice|cool|perfect)(?: (?:a lot|so much|very much|you|work|job))?`,
    ),
    make: talk('thank'),
  },
  {
    pattern: ask(
      `help(?: me)?|examples?|commands|usage`,
      `|what (?:can|could|do) (?:you|i|one) (?:do|ask|say|type|try|understand|know|help with)(?: (?:here|for me|with you))?`,
      `|what are you able to do|how (?:do(?:es)? (?:this|it|you) work|(?:can|do) i (?:use (?:this|you)|start))`,
      `|(?:how (?:can|do) i )?(?:connect|set up|use|add|get) (?:to )?(?:a|another|my|the) (?:real |ai )*(?:model|provider|key)`,
    ),
    make: talk('help'),
  },
  {
    pattern: ask(
      `(?:who|what) are you.*|are you (?!able).+|(?:what|which) (?:ai |language )?model (?:are you|is this|do you use|am i .+)`,
      `|what(?:'s| is) (?:your name|this|svc)`,
    ),
    make: talk('identify'),
  },
  {
    pattern: ask(
      `(?:(?:what(?:'s| is)|${SHOW}) )?(?:the )?(?:current |today'?s )?(?:date|time|day)(?: and (?:the )?(?:time|date))?`,
      `(?: (?:today|is it|now|right now))*|what (?:day|time|date) (?:is it|it is|is today)(?: (?:today|now))?`,
    ),
    make: talk('date'),
  },

  { pattern: ask('[$>] (?<command>.+)'), make: ({ command }) => run(command) },
  { pattern: ask('`(?<command>[^`]+)`'), make: ({ command }) => run(command) },
  {
    pattern: ask(
      `(?:run|execute|exec|launch|invoke)(?: this| the following| the| a)?`,
      `(?: (?:shell |bash |terminal )?(?:command|script|program))?(?: called)?:?\\s+(?<command>.+)`,
    ),
    make: ({ command }) => run(command),
  },
  {
    pattern: ask('(?:use|open|call) (?:the )?(?:terminal|shell|bash)(?: to (?:run|execute))?:?\\s+(?<command>`[^`]+`)'),
    make: ({ command }) => run(command),
  },

  {
    pattern: ask(`(?:create|make|add|touch|generate) ${NEW_FILE}(?<word>file )?(?:called |named )?(?<path>${NAME})`),
    make: ({ word, path }) => createEmpty(path, word),
  },
  {
    pattern: ask(
      `(?:create|make|write|generate) ${NEW_FILE}(?<word>file )?(?:called |named )?(?<path>${NAME})${WITH}`,
      `(?: the| this)?(?: (?:text|contents?|words?|lines?|following))*(?::\\s*|\\s)(?<content>.+)`,
    ),
    make: ({ word, path, content }) => write(path, content, word),
  },
  {
    pattern: ask(
      `(?:write|save|put|store) (?:the )?(?:text |words? |line )?(?<content>.+) (?:in)?to`,
      ` (?<path>${NEW_FILE}(?:file )?(?:called |named )?${NAME})`,
    ),
    make: ({ content, path }) => write(path, content),
  },
  {
    pattern: ask(
      `(?:write|save|put|store) (?:the )?(?:text |words? |line )?(?<content>.+) (?:in|as)`,
      ` (?<path>${NEW_FILE}(?:file )?(?:called |named )?${NAME})`,
    ),
    make: ({ content, path }) => write(path, content),
  },

  {
    pattern: ask(
      `(?:find|list|show|locate|search for)(?: me)?(?: all)?(?: the)? (?:files?|documents?)`,
      `(?: (?:named|called|with the name|matching|like)) (?<glob>${NAME})(?: ${IN} (?<path>.+))?`,
    ),
    make: ({ glob, path }) => matching(glob, path),
  },
  {
    pattern: ask(`(?:find|locate)(?: the)?(?: file)? (?<glob>${NAME}\\.${EXTENSION})(?: ${IN} (?<path>.+))?`),
    make: ({ glob, path }) => matching(glob, path),
  },
  {
    pattern: ask(
      `(?:find|list|show|locate|search for)(?: me)?(?: all)?(?: of)?(?: the)?`,
      ` (?<glob>\\*?\\.\\w+|\\S*[*?]\\S*)(?: files?)?(?: ${IN} (?<path>.+))?`,
    ),
    make: ({ glob, path }) => matching(glob, path),
  },
  {
    pattern: ask(`(?:search|look|scan|grep) (?:in |inside |through )?(?<path>(?!for ).{1,200}?) for (?<text>.+)`),
    make: ({ text, path }) => search(text, path),
  },
  {
    pattern: ask(`(?:grep|rg)(?: -\\w+)* (?<text>${NAME})(?: (?:in )?(?<path>.+))?`),
    make: ({ text, path }) => search(text, path),
  },
  {
    pattern: ask(
      `(?:find|search|look|grep|scan)(?: for| up)?${OCCURRENCES} (?<text>.+) (?:in|inside|within|under|across)`,
      ` (?<path>.{1,200})`,
    ),
    make: ({ text, path }) => search(text, path),
  },
  {
    pattern: ask(`(?:find|search|look|grep|scan)(?: for| up)?${OCCURRENCES} (?<text>.+)`),
    make: ({ text }) => search(text),
  },
  {
    pattern: ask(
      `where (?:is|are|do(?:es)?)(?: the)? (?<text>.{1,200}?) (?:used|defined|mentioned|called|declared|appear|occur)`,
      `(?: ${IN} (?<path>.+))?`,
    ),
    make: ({ text, path }) => search(text, path),
  },
  {
    pattern: ask(
      `(?:which|what) files? (?:contains?|mentions?|uses?|has|have|includes?) (?<text>.{1,200}?)(?: ${IN} (?<path>\\S+))?`,
    ),
    make: ({ text, path }) => search(text, path),
  },

  {
    pattern: ask(`(?:(?:${SHOW}|what(?:'s| is| are)) )?(?:the )?contents? (?:of|in) (?<path>.+)`),
    make: ({ path }) => openOrList(path),
  },
  { pattern: ask(`(?:ls|dir|ll)(?: -\\w+)*(?: (?<path>\\S+))?`), make: ({ path }) => list(path) },
  { pattern: ask(`tree(?: (?<path>\\S+))?`), make: ({ path }) => list(path, 3) },
  {
    pattern: ask(
      `(?:${SHOW} |(?:what|which)(?:'s| is| are)? )?(?:a list of )?(?:all )?(?:of )?(?:the |my )?`,
      `(?:files and (?:folders|directories)|files|folders|directories|entries|everything)`,
      `(?: (?:are|do (?:i|we|you) (?:have|see)|is|exist|there|that are|located|stored))*`,
      `(?: (?:${IN} )?(?<path>here|this .+|(?<= ${IN} ).{1,200}?))?(?<deep> recursively)?`,
    ),
    make: ({ path, deep }) => list(path, deep === undefined ? undefined : 5),
  },
  {
    pattern: ask(
      `(?:${SHOW}|open) (?<path>(?:the |my |this )?(?:current |working )?(?:folder|directory|dir)(?: .+)?`,
      `|(?:the |my )?\\S+ (?:folder|directory|dir))`,
    ),
    make: ({ path }) => list(path),
  },
  {
    pattern: ask(`(?:what(?:'s| is| are)|list|show me what(?:'s| is))(?: there| stored)? ${IN} (?<path>.+)`),
    make: ({ path }) => openOrList(path),
  },
  { pattern: ask(`what(?:'s| is) (?:around )?here`), make: () => list() },
  { pattern: ask(`list (?<path>${NAME}|(?:the |this ).+)`), make: ({ path }) => list(path) },

  {
    pattern: ask(`(?:${SHOW}|read) (?:the )?(?:first|top) (?<count>\\d{1,4}) lines? (?:of|from|in) (?<paths>.+)`),
    make: ({ count, paths }) => parseFileNames(paths, Number(count)),
  },
  {
    pattern: ask(`(?:read|cat|head|less|view|open|${SHOW})(?: through)? (?<paths>.+)`),
    make: ({ paths }) => parseFileNames(paths),
  },
  {
    pattern: ask(`what do(?:es)? (?<paths>.+) (?:say|contain|look like|hold)`),
    make: ({ paths }) => parseFileNames(paths),
  },
  {
    pattern: ask(
      `(?:(?:what(?:'s| is| are)|calculate|compute|evaluate|solve|work out|how much (?:is|are)|tell me) )?`,
      `(?:the (?:result|value|sum) of )?(?<expression>.+?)\\s*=?`,
    ),
    make: ({ expression }) => sum(expression),
  },
]
