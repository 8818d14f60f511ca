/** Something in a file of the user that is odd but no error. Code and message are those of the `warning` event. */
export interface ConfigWarning {
  readonly code: 'CONFIG_UNKNOWN_MEMBER' | 'TOKEN_READABLE';
  readonly message: string;
}
