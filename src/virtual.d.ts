declare module 'cdapctl:commands' {
  /** Command id -> its file, run only when it is asked for. Made by the build from the files under `src/commands`. */
  export const commands: import('./cli/program.js').CommandTable;
}

declare module 'cdapctl:build' {
  /** Version of the package. */
  export const version: string;
  /** Commit that was built, or empty. */
  export const commit: string;
}
