import type { PipelineArtifact } from '../../pipeline-artifact.js';

/** A draft to create, as an action describes it; `configuration` is the text of the package's file. */
export interface DraftTarget {
  readonly n: number;
  readonly name: string;
  readonly artifact: PipelineArtifact;
  readonly configuration: string;
}

/** The drafts of a namespace as one install sees them. */
export interface SeenDrafts {
  /** Those of the wanted name; two may share one. */
  readonly named: readonly { readonly id: string; readonly isSame: boolean }[];
  /** All ids that are taken. */
  readonly ids: ReadonlySet<string>;
}

/** Where a platform stores drafts. This is the studio, or the user store on older platforms (docs/platform.md 6). */
export interface DraftPlace {
  /** What a person calls it. */
  readonly title: string;
  look(): Promise<SeenDrafts>;
  /** Writes the wanted draft under an id and sees that it is there. */
  put(id: string): Promise<void>;
}

/** The artifact as a draft names it. Unchanged, except that the scope is in upper case (docs/hub-format.md 3.10). */
export const draftArtifact = ({ artifact: { name, version, scope } }: DraftTarget) => ({ name, version, scope });

/** Whether a draft names the wanted artifact. */
export function isOfArtifact(
  { artifact }: DraftTarget,
  found: { readonly name: string; readonly version?: string | undefined; readonly scope?: string | undefined },
): boolean {
  return (
    found.name === artifact.name && found.version === artifact.version && found.scope?.toUpperCase() === artifact.scope
  );
}
