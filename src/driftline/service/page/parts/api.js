// Requests to the service; answers are JSON, and errors contain a sentence.

export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @type {Set<(problem: Refused) => void>} */
const onRefused = new Set();

/** @param {(problem: Refused) => void} listener */
export const whenRefused = (listener) => onRefused.add(listener);

/** @param {any} body @param {number} status */
function sentenceOf(body, status) {
  const said = body?.detail ?? body?.error ?? body?.message;
  return typeof said === "string" ? said : `The service answered with status ${status}.`;
}

/** Waiting times in ms before a question is repeated: a change of the network cancels all requests of a browser. */
const waits = [200, 1000];

/** Return the answer with its text. A question is repeated if the connection fails; a change, which may have arrived, is not. @param {string} path @param {RequestInit} how */
async function answered(path, how) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...how });
      return { answer, text: await answer.text() };
    } catch (problem) {
      if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
      if (how.method) throw new Refused(0, "The service cannot be reached, so this change may not have been made.");
      if (attempt === waits.length)
        throw new Refused(0, "The service cannot be reached. The page shows the last known state and will try again.");
      await new Promise((next) => setTimeout(next, waits[attempt]));
      how.signal?.throwIfAborted();
    }
  }
}

/** @param {string} path @param {RequestInit} how */
async function request(path, how) {
  const { answer, text } = await answered(path, how);
  let body = null;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    body = { detail: `The service answered with status ${answer.status}, and not with JSON.` };
  }
  if (!answer.ok) {
    const refused = new Refused(answer.status, sentenceOf(body, answer.status));
    for (const listener of onRefused) listener(refused);
    throw refused;
  }
  return body;
}

/**
 * @param {string} path
 * @param {Record<string, string | number | string[] | null | undefined>} [given]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, given = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    for (const each of [value].flat()) if (each !== null && each !== undefined && each !== "") query.append(name, String(each));
  }
  const text = query.toString();
  return request(text ? `${path}?${text}` : path, { signal });
}

/** @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
export const send = (method, path, body = {}) =>
  request(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
