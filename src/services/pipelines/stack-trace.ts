import type { ShownStage } from './show.js';

const FRAME = /^\s*at ([\w.$]+)\.[\w$<>]+\(/gmu;
/** Classes that run plugins; no stage is named by them. */
const RUNS_PLUGINS = /^(?:java|javax|jdk|sun|scala|org\.apache|com\.google|io\.cdap\.cdap)\./u;
const CAUSE = /^(Caused by: )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b.*)$/gmu;

/** The stage whose plugin is the first one in a Java stack trace; undefined where that may be several. */
export function stageInTrace(trace: string, stages: readonly ShownStage[]): string | undefined {
  for (const [, className = ''] of trace.matchAll(FRAME)) {
    if (RUNS_PLUGINS.test(className)) continue;
    const simple = (className.split('.').at(-1) ?? '').toLowerCase();
    const found = stages.filter(({ name, plugin = '' }) => {
      const [own] = simple.split('$');
      return own === name.toLowerCase() || (plugin !== '' && simple.startsWith(plugin.toLowerCase()));
    });
    if (found.length > 0) return found.length === 1 ? found[0]?.name : undefined;
  }
  return undefined;
}

/** The innermost cause that a Java stack trace names, with its class. */
export function causeInTrace(trace: string): string | undefined {
  const all = [...trace.matchAll(CAUSE)];
  return (all.findLast(([, by]) => by !== undefined) ?? all[0])?.[2];
}
