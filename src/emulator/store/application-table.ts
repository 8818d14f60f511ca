import type { Application } from './model.js';

/** The real store orders keys by their length in bytes, then by the bytes. */
export function keyOrder(a: string, b: string): number {
  const [left, right] = [Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')];
  return left.length - right.length || left.compare(right);
}

/** Where a walk begins and which way it goes; `from` itself is met, when it is there. */
export interface Walk {
  readonly from?: string | undefined;
  readonly descending?: boolean;
}

/** The applications of one namespace, in the order of the real store so that pages need no sorting. */
class Shelf {
  readonly byName = new Map<string, Application>();
  readonly #names: string[] = [];

  put(application: Application): void {
    const { name } = application;
    if (!this.byName.has(name)) this.#names.splice(this.#place(name), 0, name);
    this.byName.set(name, application);
  }

  delete(name: string): void {
    if (this.byName.delete(name)) this.#names.splice(this.#place(name), 1);
  }

  *walk({ from, descending = false }: Walk): Generator<Application> {
    const names = this.#names;
    const first = from === undefined ? (descending ? names.length : 0) : this.#place(from);
    const step = descending ? -1 : 1;
    const isFromThere = from !== undefined && names[first] === from;
    for (let at = descending && !isFromThere ? first - 1 : first; at >= 0 && at < names.length; at += step) {
      const application = this.byName.get(names[at] ?? '');
      if (application !== undefined) yield application;
    }
  }

  /** The number of names that stand before one. */
  #place(name: string): number {
    const last = this.#names.at(-1);
    if (last === undefined || keyOrder(last, name) < 0) return this.#names.length;
    let [low, high] = [0, this.#names.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keyOrder(this.#names[middle] ?? '', name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The applications of all namespaces. */
export class ApplicationTable {
  readonly #shelves = new Map<string, Shelf>();

  get(namespace: string, name: string): Application | undefined {
    return this.#shelves.get(namespace)?.byName.get(name);
  }

  put(application: Application): void {
    const shelf = this.#shelves.get(application.namespace) ?? new Shelf();
    this.#shelves.set(application.namespace, shelf);
    shelf.put(application);
  }

  delete({ namespace, name }: Pick<Application, 'namespace' | 'name'>): void {
    this.#shelves.get(namespace)?.delete(name);
  }

  deleteNamespace(namespace: string): void {
    this.#shelves.delete(namespace);
  }

  /** The applications of a namespace, one after the other. */
  *walk(namespace: string, walk: Walk = {}): Generator<Application> {
    const shelf = this.#shelves.get(namespace);
    if (shelf !== undefined) yield* shelf.walk(walk);
  }

  all(): Application[] {
    return [...this.#shelves.values()].flatMap(({ byName }) => [...byName.values()]);
  }
}
