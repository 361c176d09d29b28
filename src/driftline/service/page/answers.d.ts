// Written by tests/service/page/write_answer_types.py from driftline.service.answers.
export interface CalibrationBin { predicted: number; right: number; n: number }
export interface Classifier { labels: string[]; counts: number[]; n_labels: number; pending: number; n_frame: number; flipped: number; expected: number | null; expected_low: number | null; expected_high: number | null; right: number | null; n_tested: number; calibration: CalibrationBin[]; kappa: number | null; n_double: number; examples: FlippedAnswer[] }
export interface FlippedAnswer { key: string; snippet: string; before: string | null; now: string | null }
export interface LabelAnswer { event: LabelEvent; classifier: Classifier }
export interface Suggestion { key: string; id: string | null; time: number; source: string; text: string; guess: string | null; probability: number | null; probabilities: { [key: string]: number }; lease: string; until: number; second_opinion: boolean }
export interface SuggestionList { suggestions: Suggestion[]; labels: string[] }
export interface AlarmEvent { alarm: Alarm }
export interface Bye { retry: number }
export interface Delta { batch: number; now: number; n_documents: number; level: "hour" | "day" | "month"; periods: PeriodDelta[]; newest: DocumentRow[]; sent: number; arrived: number | null; headline: string; alarms: Alarm[]; n_on: number; drifting: DriftingWord[] }
export interface Gap { batch: number }
export interface Gone { key: string }
export interface Hello { batch: number; now: number; version: string }
export interface LabelGiven { event: LabelEvent }
export interface Learned { classifier: Classifier }
export interface PeriodDelta { level: "hour" | "day" | "month"; start: number; n: number; sums: { [key: string]: number } }
export interface Renamed { topic: TopicRef }
export interface Swapped { version: number; lineage: LineageStep[] }
export interface Alarm { id: number; kind: "topic" | "word"; topic: number | null; word: string | null; name: string; headline: string; state: "on" | "off"; start: number; raised: number; ended: number | null; probability: number; highest: number; ratio: number; acknowledged: string | null; muted_until: number | null; evidence: Evidence }
export interface Band { values: (number | null)[]; low: (number | null)[]; high: (number | null)[] }
export interface DocumentRow { key: string; id: string | null; time: number; source: string; snippet: string[]; topic: number | null; probability: number | null; label: string | null }
export interface DriftingWord { word: string; before: number; now: number; ratio: number; probability: number; values: (number | null)[] }
export interface Evidence { words: string[]; documents: DocumentRow[]; expected: number; seen: number; times: number[]; values: number[] }
export type Level = "hour" | "day" | "month";
export interface Problem { error: string; detail: string }
export interface River { level: "hour" | "day" | "month"; times: number[]; n_documents: number[]; topics: TopicCurve[] }
export interface Session { name: string; rights: string[]; version: string; demo: boolean }
export interface TopicCurve { id: number; name: string; colour: number; words: string[]; values: (number | null)[]; low: (number | null)[]; high: (number | null)[] }
export interface TopicRef { id: number; name: string; colour: number; words: string[] }
export interface WordBurst { start: number; end: number | null; ratio: number; weight: number }
export interface WordCurve { values: (number | null)[]; low: (number | null)[]; high: (number | null)[]; word: string; n_documents: (number | null)[]; known_since: number | null; bursts: WordBurst[] }
export interface Health { now: number; started: number; version: string; store: string; store_bytes: number; wal_bytes: number; disk_free: number; disk_total: number; memory: number; queue_bytes: number; queue_limit: number; per_second: number; latency: Latency; readers: number; sources: SourceHealth[]; rejections: Rejection[]; n_rejected: number; model: ModelHealth; refit: RefitHealth; keep: string | null; outbox: number }
export interface Intake { taken: number; repeated: number; rejected: RejectedLine[]; batch: number | null }
export interface Latency { p50: number | null; p95: number | null; n: number }
export interface ModelHealth { name: string; version: number; fitted: number; snapshot: number; n_documents: number; n_words: number; languages: string[]; score: number | null; band: [number, number] | null; unknown: number | null; scores: (number | null)[] }
export interface RefitHealth { state: string; reason: string; started: number | null; finished: number | null; can_go_back: boolean }
export interface RejectedLine { line: number; reason: string }
export interface Rejection { time: number; source: string; place: string; reason: string }
export interface Settings { labels: string[]; webhooks: string[] }
export interface SourceHealth { name: string; kind: string; place: string; lag: number | null; unit: string; last: number | null; taken: number; rejected: number; repeated: number; state: string }
export interface AlarmDay { day: number; n: number; highest: number }
export interface AlarmList { alarms: Alarm[]; next: number | null; n_on: number; calendar: AlarmDay[] }
export interface Deleted { key: string; note: string }
export interface DocumentList { documents: DocumentRow[]; total: number; is_capped: boolean; next: string | null; facets: { [key: string]: Facet[] }; level: "hour" | "day" | "month"; times: number[]; counts: number[]; note: string | null }
export interface DocumentPage { key: string; id: string | null; time: number; arrived: number; source: string; text: string; topics: TopicPart[]; spoke: SpokenWord[]; label: string | null; guess: string | null; guess_probability: number | null; labels: LabelEvent[] }
export interface Facet { value: string; name: string; n: number }
export interface LabelEvent { number: number; key: string; label: string | null; by: string; time: number }
export interface LineageStep { time: number; kind: string; old: number[]; new: number[]; overlap: number }
export interface Overview { now: number; at: number | null; first: number | null; batch: number; n_documents: number; n_topics: number; n_on: number; headline: string; river: River; alarms: Alarm[]; drifting: DriftingWord[]; newest: DocumentRow[] }
export interface SpokenWord { word: string; weight: number }
export interface TopicList { now: number; level: "hour" | "day" | "month"; times: number[]; topics: TopicCurve[] }
export interface TopicPage { topic: TopicRef; present: boolean; level: "hour" | "day" | "month"; times: number[]; n_documents: number[]; curve: Band; words_now: WordShare[]; words_then: WordShare[]; changed: string[]; then: number; documents: DocumentRow[]; lineage: LineageStep[]; alarms: Alarm[] }
export interface TopicPart { topic: TopicRef; share: number }
export interface WordList { words: [string, number][]; drifting: DriftingWord[] }
export interface WordPage { level: "hour" | "day" | "month"; times: number[]; totals: number[]; words: WordCurve[]; unknown: string[] }
export interface WordShare { word: string; share: number }
