// What happens, for people to read while it happens.

import { inspect, styleText } from 'node:util';

/** @import { AttemptRecord, CallEvent, History, StopMark } from 'dacapo' */

/** @type {Readonly<Record<StopMark, string>>} */
const MARKS = {
  not_retryable: 'not retried: the same request would fail again',
  attempts_exhausted: 'no attempts left',
  deadline_exceeded: 'the deadline would pass',
  retry_after_beyond: 'the server asks for a longer wait than is allowed',
  deferred: 'the server asks for a longer wait: to be resumed later',
  retry_budget_exhausted: 'the retry budget is spent',
  circuit_open: 'the circuit breaker is open',
  output_begun: 'not retried: somebody has heard the beginning',
  one_shot_body: 'the body can be read only once',
  method_not_retried: 'this method is not retried',
  hook_veto: 'shouldRetry said no',
  hook_error: 'a hook threw',
  cancelled: 'cancelled',
};

export class Timeline {
  #stream;
  #colours;
  #began = 0;

  /** @param {NodeJS.WriteStream} stream */
  constructor(stream) {
    this.#stream = stream;
    this.#colours = stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  }

  /** @param {string} [text] */
  print(text = '') {
    this.#stream.write(`${text}\n`);
  }

  /**
   * @param {Parameters<typeof styleText>[0]} style
   * @param {string} text
   */
  paint(style, text) {
    return this.#colours ? styleText(style, text, { validateStream: false }) : text;
  }

  /** The names of the columns. */
  heads() {
    this.print(`\n${this.paint('dim', '  time    try  outcome      kind             rule         then')}`);
  }

  /**
   * A call begins.
   *
   * @param {string} title
   */
  begin(title) {
    this.#began = performance.now();
    this.print(`\n${this.paint('bold', title)}`);
  }

  /** Give it to `onEvent`. @type {(event: CallEvent) => void} */
  onEvent = (event) => {
    // A failure is shown with what follows from it, which comes at once.
    if (event.type === 'waiting') this.#row(event.attempt, `wait ${seconds(event.delayMs)}: ${reason(event)}`);
    if (event.type === 'settled') this.failed(event.history);
  };

  /**
   * The failure that ended a call, if one did.
   *
   * @param {History} history
   */
  failed({ last, mark }) {
    if (last !== undefined && mark !== undefined) this.#row(last, MARKS[mark]);
  }

  /**
   * The attempt that was delivered.
   *
   * @param {number} attempt
   * @param {number} status
   */
  delivered(attempt, status) {
    this.#line(attempt, this.paint('green', String(status).padEnd(12)), 'delivered');
  }

  /**
   * A target that failed, before the next is asked. Give it to `onFallback`.
   *
   * @param {import('dacapo').FallbackAttempt} entry
   */
  fellOver = ({ provider, error, request }) => {
    const wait = error.retryAfterMs === undefined ? '' : ` for another ${seconds(error.retryAfterMs)}`;
    this.note(request === undefined ? `${provider} is passed over: its breaker is open${wait}` : `${provider} is given up, the next one is asked`);
  };

  /** @param {string} text */
  note(text) {
    this.#line(undefined, text, '');
  }

  /**
   * @param {AttemptRecord} record
   * @param {string} then
   */
  #row({ attempt, error }, then) {
    // A 200 that was cut short shows the cut, not the status.
    const outcome = String((error.rule === 'transport' ? undefined : error.status) ?? error.code ?? error.kind).slice(0, 12).padEnd(12);
    this.#line(attempt, this.paint('red', outcome), `${error.kind.padEnd(16)} ${this.paint('dim', error.rule.padEnd(12))} ${then}`);
  }

  /**
   * @param {number | undefined} attempt
   * @param {string} outcome
   * @param {string} text
   */
  #line(attempt, outcome, text) {
    const at = seconds(performance.now() - this.#began).padStart(8);
    this.print(`${this.paint('dim', at)}  ${attempt === undefined ? '   ' : ` #${attempt}`}  ${outcome} ${text}`.trimEnd());
  }

  /**
   * @param {string} title
   * @param {unknown} value
   */
  show(title, value) {
    this.print(`\n${this.paint('bold', title)}`);
    this.print(inspect(value, { depth: 5, colors: this.#colours, breakLength: 110 }));
  }
}

/** @param {{ attempt: AttemptRecord, from: 'backoff' | 'hint' }} waiting */
function reason({ attempt, from }) {
  const { retryAfterMs } = attempt.error;
  if (from === 'hint') return `the server asks for ${seconds(retryAfterMs ?? 0)}`;
  return retryAfterMs === undefined ? 'backoff' : `backoff, longer than the server's ${seconds(retryAfterMs)}`;
}

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
