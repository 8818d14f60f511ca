/** What sends requests in undici: a pool or a client. */
export type Dispatcher = import('undici').Dispatcher;

/** What undici tells about one exchange. */
export type DispatchHandler = import('undici').Dispatcher.DispatchHandler;

/** How an exchange is paused and aborted in undici. */
export type DispatchController = import('undici').Dispatcher.DispatchController;
