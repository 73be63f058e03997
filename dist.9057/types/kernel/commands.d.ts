/** The slash-command registry: parsing, menus, help and completion, all read from the one point. */
import type { Commands, SlashCommand, Surface } from '../sdk/commands.ts';
import type { Contributions } from '../sdk/plugin.ts';
export declare class CommandTable implements Commands {
    #private;
    constructor(commands: Contributions<SlashCommand>);
    parse(line: string, surface: Surface): ReturnType<Commands['parse']>;
    on(surface: Surface): readonly SlashCommand[];
    help(surface: Surface): string;
    complete(prefix: string, surface: Surface): readonly string[];
}
