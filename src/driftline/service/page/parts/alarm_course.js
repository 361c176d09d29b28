// The curve of an alarm: documents per hour, day or month around it, from its evidence or from the curve of its topic.
import { get } from "./api.js";
import { lengthOf, Periods } from "./periods.js";

/** @typedef {import("../answers").Alarm} Alarm */
/** @typedef {{ times: number[], counts: number[], length: number }} Course */

const day = 86_400;

/** Return the counts in the evidence. @param {Alarm} alarm @returns {Course} */
export function courseOf({ evidence: { times, values } }) {
  return { times, counts: values, length: times.length > 1 ? times[1] - times[0] : 3600 };
}

/**
 * Load the curve. The evidence of a topic's alarm has no counts: they are shares × documents of the topic's curve.
 * @param {Alarm} alarm
 * @returns {Promise<Course>}
 */
export async function loadCourse(alarm) {
  if (alarm.topic === null || alarm.evidence.times.length > 1) return courseOf(alarm);
  const { now } = /** @type {import("../answers").TopicList} */ (await get("/api/topics"));
  const end = alarm.ended ?? now;
  const last = end + day; // the curve continues for a day, if there are documents
  const page = /** @type {import("../answers").TopicPage} */ (
    await get(`/api/topics/${alarm.topic}`, {
      at: last < now ? Math.round(last) : null,
      span: Math.round(end - alarm.start + 22 * day),
    })
  );
  const { river } = new Periods({
    level: page.level,
    times: page.times,
    n_documents: page.n_documents,
    topics: [{ ...page.topic, ...page.curve }],
  });
  return {
    times: river.times,
    counts: river.topics[0].values.map((value, i) => Number(value ?? 0) * river.n_documents[i]),
    length: lengthOf[page.level],
  };
}
