/** One version of a package, before it is signed: what its folder in the hub holds. */
export interface SamplePackage {
  readonly name: string;
  readonly version: string;
  /** The specification, written as it stands to `spec.json`. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Files that get a signature, by name. */
  readonly resources: Readonly<Record<string, Buffer>>;
  /** Files that get none, as the packager of real hubs leaves `license.txt`; `icon.png` is added. */
  readonly unsigned?: Readonly<Record<string, Buffer>>;
}
