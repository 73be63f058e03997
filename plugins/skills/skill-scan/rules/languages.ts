/** Orders to ignore instructions, or to keep the person in the dark, in languages that `instructions.ts` does not have. */
import { defineRules, type SkillSeverity } from './rule.ts'

/** How a language says "disregard", "instructions" and "do not tell the user", by the stems of its words; the order is free. */
interface Language {
  readonly disregard: string
  readonly instructions: string
  readonly conceal: string
}

const LANGUAGES: readonly Language[] = [
  // Hungarian
  {
    disregard: 'figyelmen kívül|felejtsd el|ne kövesd|ne vedd figyelembe',
    instructions: 'utasítás|szabály|előírás',
    conceal:
      '(?:soha |nem? |ne )(?:említ|mond|árul|szól|jelez)\\p{L}*[^\\n.]{0,30}felhasználó|felhasználónak[^\\n.]{0,20}(?:soha )?ne ',
  },
  // Czech, Slovak
  {
    disregard: 'ignoruj|zapome[ňn]|zabudni|nedbej|přehlížej|nevšímej',
    instructions: 'pokyn|instrukc|inštrukci|pravid|příkaz',
    conceal:
      '(?:neříkej|nezmiňuj|neinformuj|neprozra[zd]|nehovor|nespomínaj)\\p{L}*[^\\n.]{0,30}(?:uživatel|používate)|(?:uživatel|používate)\\p{L}*[^\\n.]{0,16}(?:neříkej|nezmiňuj|nehovor)',
  },
  // Swedish, Norwegian, Danish
  {
    disregard: 'ignorera|ignorer|strunta i|glöm|glem|bortse från|se bort fra|overse',
    instructions: 'instruktion|instruks|anvisning|regler|direktiv',
    conceal:
      '(?:berätta|säg|nämn|fortell|nevn|fortæl|sig|si)\\b[^\\n.]{0,24}\\b(?:inte|aldrig|ikke|aldri)\\b[^\\n.]{0,30}(?:användar|bruker|bruger)|(?:användar|bruker|bruger)\\p{L}*[^\\n.]{0,16}\\b(?:inget|aldrig|ingenting|intet)\\b',
  },
  // Finnish
  {
    disregard: 'ohita|unohda|älä noudata|jätä huomiotta|jätä huomioimatta',
    instructions: 'ohje|sääntö|sääntö|määräy',
    conceal: 'älä (?:kerro|mainitse|ilmoita|paljasta)[^\\n.]{0,30}käyttäj|käyttäjälle[^\\n.]{0,12}älä',
  },
  // Romanian
  {
    disregard: 'ignoră|ignora|uită|nu ține cont|nu respecta',
    instructions: 'instrucțiun|instructiun|regul|indicații',
    conceal: 'nu (?:îi )?(?:spune|menționa|dezvălui|informa)[^\\n.]{0,30}utilizator',
  },
  // Greek
  {
    disregard: 'αγνόησε|αγνοήστε|ξέχασε|ξεχάστε|παράβλεψε',
    instructions: 'οδηγί|εντολ|κανόν',
    conceal: 'μην? (?:πεις|αναφέρ|αποκαλύψ|ενημερώ)\\p{L}*[^\\n.]{0,30}χρήστ',
  },
  // Ukrainian, Bulgarian, Serbian, Croatian
  {
    disregard: 'ігноруй|забудь|не зважай|игнорирай|забрави|игнориши|занемари|ignoriraj|zanemari|zaboravi',
    instructions: 'інструкц|вказів|правил|инструкц|указан|упутств|uput|pravil|naredb',
    conceal:
      '(?:не|nemoj|ne)\\s+(?:кажи|говори|повідомляй|казвай|споменавай|reci|govori|spominji|spominjati|reći)\\p{L}*[^\\n.]{0,30}(?:користувач|потребител|кориснику|korisni)',
  },
  // Hebrew, Persian, Urdu
  {
    disregard: 'התעלם|תתעלם|שכח|نادیده بگیر|فراموش کن|نظر\\s?انداز|بھول جا',
    instructions: 'הוראות|הנחיות|כללים|دستور|راهنما|ہدایات|احکام',
    conceal:
      '(?:אל|לא)\\s+(?:תגיד|תספר|תזכיר|תגלה)[^\\n.]{0,30}משתמש|به کاربر[^\\n.]{0,20}(?:نگو|اطلاع نده|نگویید)|صارف کو[^\\n.]{0,20}(?:نہ بتا|مت بتا)',
  },
  // Thai, Indonesian, Malay, Tagalog, Swahili
  {
    disregard: 'เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|ลืม|abaikan|lupakan|balewalain|kalimutan|puuza|sahau',
    instructions: 'คำสั่ง|คำแนะนำ|instruksi|perintah|arahan|petunjuk|tagubilin|maagho|maagizo|maelekezo',
    conceal:
      '(?:อย่า|ห้าม)[^\\n.]{0,10}(?:บอก|แจ้ง)[^\\n.]{0,12}ผู้ใช้|jangan[^\\n.]{0,16}(?:beri\\s?tahu|katakan|sebutkan|sampaikan)[^\\n.]{0,24}pengguna|huwag[^\\n.]{0,16}sabihin[^\\n.]{0,24}gumagamit|usimwambie[^\\n.]{0,16}mtumiaji',
  },
  // Bengali, Tamil, Marathi and Nepali
  {
    disregard: 'উপেক্ষা|ভুলে যা|புறக்கணி|மறந்து|दुर्लक्ष|बेवास्ता',
    instructions: 'নির্দেশ|নিয়ম|அறிவுறுத்த|வழிமுறை|सूचना|निर्देश',
    conceal:
      'ব্যবহারকারীকে[^\\n।]{0,16}(?:বলবে না|জানাবে না)|பயனரிடம்[^\\n.]{0,16}(?:சொல்ல|கூற)\\p{M}*ாதே|वापरकर्त्याला[^\\n।]{0,16}सांगू नक',
  },
  // Dutch, Catalan, Estonian, Latvian, Lithuanian
  {
    disregard: 'negeer|vergeet|sla[^\\n.]{0,20}geen acht|ignora|oblida|eira|unusta|ignorē|aizmirsti|ignoruok|pamiršk',
    instructions: 'instructie|aanwijzing|instruccion|juhis|reegl|norādījum|instrukcij|nurodym|taisykl',
    conceal:
      'no (?:li )?(?:diguis|esmentis)[^\\n.]{0,24}usuari|ära (?:ütle|maini)[^\\n.]{0,24}kasutaja|nesaki[^\\n.]{0,24}lietotāj|nesakyk[^\\n.]{0,24}naudotoj',
  },
]

const either = (one: string, other: string) =>
  `(?<!\\p{L})(?:${one})\\p{L}*[^\\n.。।]{0,60}?(?<!\\p{L})(?:${other})|(?<!\\p{L})(?:${other})\\p{L}*[^\\n.。।]{0,40}?(?<!\\p{L})(?:${one})`

/** "do not forget the instructions": the word before turns it round. */
function weigh(found: RegExpMatchArray, text: string): SkillSeverity | undefined {
  const before = text.slice(Math.max(0, (found.index ?? 0) - 12), found.index)
  return /(?<!\p{L})(?:ne|ná|inte|ikke|aldrig|aldri|älä|nu|μη|μην|не|nemoj|אל|jangan|อย่า|huwag|niet|nooit|no|ära|ņe|nie|nikdy)\s+$/iu.test(
    before,
  )
    ? undefined
    : 'critical'
}

export const OTHER_LANGUAGES = [
  ...defineRules('injection', 'prose', [
    {
      id: 'ignore-instructions-language',
      severity: 'critical',
      cue: 'strict',
      pattern: new RegExp(
        LANGUAGES.map(({ disregard, instructions }) => either(disregard, instructions)).join('|'),
        'giu',
      ),
      message: 'asks to ignore instructions',
      weigh,
    },
    {
      id: 'conceal-language',
      severity: 'high',
      cue: 'strict',
      pattern: new RegExp(LANGUAGES.map(({ conceal }) => `(?<!\\p{L})(?:${conceal})`).join('|'), 'giu'),
      message: 'asks to hide something from the person',
    },
  ]),
]
