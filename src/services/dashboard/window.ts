/** A part of time in epoch seconds, both ends included. */
export interface Window {
  readonly start: number;
  readonly end: number;
}
