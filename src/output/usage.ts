/** What a usage line is made from: a command class, its cached form, or the parser's input. */
export interface Usage {
  readonly args?: Readonly<
    Record<string, { readonly required?: boolean; readonly multiple?: boolean; readonly hidden?: boolean }>
  >;
  readonly flags?: Readonly<
    Record<string, { readonly required?: boolean; readonly helpValue?: string | string[]; readonly type?: string }>
  >;
}

/** The usage line of a command: `cdapctl hub show PACKAGE [flags]`. */
export function usageOf(id: string, { args = {}, flags = {} }: Usage): string {
  const shownArgs = Object.entries(args).flatMap(([name, arg]) => {
    if (arg.hidden === true) return [];
    const word = name.toUpperCase() + (arg.multiple === true ? '...' : '');
    return [arg.required === true ? word : `[${word}]`];
  });
  const needed = Object.entries(flags).flatMap(([name, flag]) =>
    flag.required === true ? [`--${name}${flag.type === 'option' ? ` ${valueWord(name, flag.helpValue)}` : ''}`] : [],
  );
  return ['cdapctl', ...id.split(':'), ...shownArgs, ...needed, '[flags]'].join(' ');
}

/** The word that stands for the value of a flag. */
export function valueWord(name: string, helpValue: string | string[] | undefined): string {
  return typeof helpValue === 'string' ? helpValue : (helpValue?.[0] ?? name.split('-').at(-1) ?? name).toUpperCase();
}
