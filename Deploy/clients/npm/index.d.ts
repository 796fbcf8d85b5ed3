/** A field's value, before it is coarsened. */
export type Value = string | number | boolean;

/** What the beacon starts with: the attributes of its script tag. */
export interface Options {
  /** The daemon's address: `https://count.example.com`. */
  server: string;
  /** The app's name in its plan. */
  app: string;
  /** The app key, where the operator has made one; it is no secret. */
  key?: string;
  /** The event that a page view is; without it views are not counted. */
  view?: string;
  /** Fields of every event. */
  fields?: Readonly<Record<string, Value>>;
  /** `memory` keeps identifiers out of sessionStorage. */
  storage?: "memory";
  /** True if the person is known to be grown up. */
  adult?: boolean;
  /** True for a build that is not in people's hands: the daemon checks and answers its batches, and counts nothing. */
  test?: boolean;
  /** True if the console says what does not count, and why. */
  debug?: boolean;
}

/** What the daemon said of a batch. */
export interface Answer {
  /** Events that changed a counter. */
  accepted?: number;
  /** Events that did not, each with its place in the batch and the reason. */
  refused?: readonly { index: number; reason: string; detail?: Readonly<Record<string, string | number>> }[];
  /** Events of a test's batch that the plan takes. */
  test?: number;
  /** Why the batch was refused as a whole. */
  error?: string;
}

/** A batch or a withdrawal as it was sent. */
export interface Sent {
  purpose: string;
  explanation: string;
  /** The request's body, byte for byte. */
  body: string;
  /** Missing as long as there is none. */
  answer?: Answer;
}

export interface Throng {
  /** Records an event; never throws, never waits. */
  record(name: string, fields?: Readonly<Record<string, Value | null | undefined>>): void;
  /** The person agreed to the first version of a purpose, or to the one with that number; or did not, or does not any more. */
  consent(purpose: string, answer: boolean | number): void;
  /** Sends what waits now. */
  flush(): void;
  /** Takes back what open windows have, and forgets identifiers, what waits, and the log. */
  reset(): void;
  /** What the daemon would count of an event, by purpose; nothing is counted. */
  preview(name: string, fields?: Readonly<Record<string, Value | null | undefined>>): Promise<Record<string, unknown>>;
  /** By purpose, what `consent` was told. */
  readonly answers: Readonly<Record<string, boolean | number>>;
  /** The last hundred batches and withdrawals. */
  readonly sent: readonly Sent[];
  readonly settings: Readonly<Record<string, string | undefined>>;
}

/** Starts the beacon, once a page: a second call gets the first one's. Without `server` and `app` there is none. */
export function start(options: Options): Throng | undefined;

declare global {
  interface Window {
    /** The page's beacon. */
    throng?: Throng;
  }
}
