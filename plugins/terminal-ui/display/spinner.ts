/** What moves while the model is at work: faces of the skin, or one of three simpler sets. */
import type { DisplaySettings, Theme } from 'svc/sdk/terminal'

const frames: Readonly<Record<Exclude<DisplaySettings['indicator'], 'kaomoji'>, readonly string[]>> = {
  emoji: ['🌑', '🌒', '🌓', '🌔', '🌕', '🌖', '🌗', '🌘'],
  unicode: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  ascii: ['|', '/', '-', '\\'],
}

/** The faces that an indicator stands for; `kaomoji` are those of the skin. */
export function getFaces(skin: Theme, indicator: DisplaySettings['indicator']): readonly string[] {
  return indicator === 'kaomoji' ? skin.spinner.faces : frames[indicator]
}
