public import ThrongWire

/// A record of what the app told the daemon, what waits, and how each event was counted; ready to be shown to the
/// person.
public struct Inspection: Sendable, Hashable, Codable {
    /// The app's title.
    public let app: SpokenText
    /// The requests that left the device, latest first.
    public let sent: [Sent]
    /// The events that wait to be sent.
    public let waiting: [Event]
    /// Events that wait for the first plan, without which nobody knows what becomes of them.
    public let unplanned: Int
    /// Withdrawals of which the daemon does not know yet.
    public let withdrawing: Int
    /// The number of events that were not sent or not counted since the library first started, by ``DropReason``.
    public let dropped: [String: Int]

    /// One request.
    public struct Sent: Sendable, Hashable, Codable, Identifiable {
        /// Its random name.
        public let id: String
        /// The purpose's name.
        public let purpose: String
        /// The purpose's explanation, as it was when this was sent.
        public let explanation: String
        /// The time of the first attempt to send it. Unit: Unix seconds.
        public let unixSeconds: Int64
        /// The outcome of the request.
        public let outcome: SentBatch.Outcome
        /// The events in it; none if it takes something back.
        public let events: [Event]
        /// The request's body, byte for byte.
        public let body: String
    }

    /// Events that are alike.
    public struct Event: Sendable, Hashable, Codable {
        /// Its name in the plan.
        public let event: String
        /// The purpose's name.
        public let purpose: String
        /// The number of times it happened.
        public let count: Int
        /// All that is left of its fields.
        public let fields: [String: String]
        /// The counters that each metric adds to; empty if the plan no longer has the event.
        public let counted: [Counted]
        /// The daemon's reason for not counting it; nil if it did, or has not said.
        public let refused: String?
    }

    /// The counters that one event adds to.
    public struct Counted: Sendable, Hashable, Codable {
        /// The metric's name.
        public let metric: String
        /// The metric's title.
        public let title: SpokenText
        /// The hour, day, week or month: `2026-11-21`.
        public let period: String
        /// The buckets that it is counted under, in the plan's order.
        public let buckets: [Bucket]
    }

    /// One word of a counter's name.
    public struct Bucket: Sendable, Hashable, Codable {
        /// The dimension's title.
        public let title: SpokenText
        /// The word.
        public let label: String
    }
}

/// A batch as it left the device, for people to look at.
public struct SentBatch: Sendable, Hashable, Codable, Identifiable {
    /// The batch's random name.
    public let id: String
    /// The purpose's name.
    public let purpose: String
    /// The purpose's explanation, in the person's language if the app translates it.
    public let explanation: String
    /// The time of the first attempt to send it. Unit: Unix seconds.
    public let unixSeconds: Int64
    /// The body of the request, byte for byte, before it was packed.
    public let body: String
    /// The outcome of the batch.
    public internal(set) var outcome: Outcome

    /// The outcome of a batch.
    public enum Outcome: Sendable, Hashable, Codable {
        /// No answer yet. It may have arrived.
        case unanswered
        /// It was counted, except for the refused events: the reason of each, by its place in the batch.
        case counted(events: Int, refused: [Int: String])
        /// The daemon took it for a test's and counted nothing: the events that the plan takes, and the reasons of the others.
        case tested(events: Int, refused: [Int: String])
        /// It was refused as a whole: the HTTP status and the daemon's word for the reason.
        case rejected(status: Int, error: String)
    }
}

/// A preview of what an event would be counted as. Asking for it records nothing.
public struct EventPreview: Sendable, Hashable {
    /// The tuple that each metric would count, in the plan's order.
    public let counted: [Tuple]
    /// The reason why nothing would be counted; nil if something would.
    public let refused: DropReason?

    /// The tuple that one metric would count.
    public struct Tuple: Sendable, Hashable {
        /// The metric's name.
        public let metric: String
        /// The question that it answers.
        public let question: String
        /// The purpose's name.
        public let purpose: String
        /// The purpose's explanation.
        public let explanation: String
        /// The bucket of each dimension, by the dimension's name.
        public let buckets: [String: String]
        /// The amount of each sum after clipping and rounding, by the sum's name.
        public let sums: [String: Double]
        /// The hour, day, week or month that it would be counted in: `2026-11-21`.
        public let period: String
        /// True if it counts once for an identifier, when its window is over, by how often or how far the device came.
        public let isOncePerWindow: Bool
        /// Share of events that are sent at all.
        public let sampling: Double
        /// True if the person's choices allow it now.
        public let isAllowed: Bool
    }
}

/// The question to a person about one purpose, with all that they should know before they answer; ready to be shown.
///
/// Texts of the plan are in the person's language where the plan has it; those of the library are English, and
/// ``ThrongOptions/localize`` translates them.
public struct ConsentQuestion: Sendable, Hashable, Codable, Identifiable {
    /// The purpose's name in the plan.
    public let id: String
    /// The version of the purpose that the question is about; the answer holds for this one.
    public let version: Int
    /// The app's title.
    public let app: SpokenText
    /// The question.
    public let title: SpokenText
    /// The purpose's explanation: what the numbers are for.
    public let explanation: SpokenText
    /// The person's answer so far; ``Consent/notDetermined`` if they are yet to be asked.
    public let consent: Consent
    /// The possible answers; refusing is as near as agreeing.
    public let choices: [Choice]
    /// The metrics that are counted, and how coarsely.
    public let counted: [Counted]
    /// The time for which the device shows one random identifier; 0 if it shows none. Unit: seconds.
    public let identifierSeconds: Int64
    /// The time for which numbers are kept. Unit: seconds.
    public let retentionSeconds: Int64
    /// The least number of devices behind each published number.
    public let threshold: Int64
    /// The recipients of the app's numbers.
    public let recipients: [Recipient]
    /// The contact for questions about the app's numbers.
    public let contact: String
    /// Signals that are set and refuse the purpose whatever is answered, sorted.
    public let refusedBy: [OptOutSignal]

    /// One answer.
    public struct Choice: Sendable, Hashable, Codable {
        /// The meaning of the answer.
        public let consent: Consent
        /// The text on its button.
        public let words: SpokenText
    }

    /// One thing that is counted.
    public struct Counted: Sendable, Hashable, Codable {
        /// Its name in the plan.
        public let metric: String
        /// The metric's title.
        public let title: SpokenText
        /// The question that it answers.
        public let question: SpokenText
        /// The events that count.
        public let events: [String]
        /// The precision of times: each event is counted in one such period.
        public let period: PeriodKind
        /// All that is kept of each event.
        public let parts: [Part]
        /// The numbers that are added up.
        public let sums: [Sum]
        /// Share of events that are sent at all.
        public let sampling: Double
    }

    /// A dimension: the words that a field becomes before it leaves the device.
    public struct Part: Sendable, Hashable, Codable {
        /// The dimension's title.
        public let title: SpokenText
        /// Every word that it can become; empty if words are learned while counting goes on.
        public let buckets: [String]
    }

    /// A number that is added up, held between two bounds.
    public struct Sum: Sendable, Hashable, Codable {
        /// Its title, or its name where the plan has none.
        public let name: String
        /// The least that it adds.
        public let lowest: Double
        /// The most that it adds.
        public let highest: Double
        /// The unit, such as EUR; empty for none.
        public let unit: String
    }

    /// A recipient, who gets numbers from published ones only.
    public struct Recipient: Sendable, Hashable, Codable {
        /// The recipient's name.
        public let title: String
        /// The contact at the recipient.
        public let contact: String
        /// The insights that they get, by their titles in the plan.
        public let insights: [String]
    }
}

/// A purpose as a consent screen needs it.
public struct PurposeInfo: Sendable, Hashable, Identifiable {
    /// The purpose's name in the plan.
    public let id: String
    /// The purpose's explanation, in the person's language if the plan has it or the app translates it.
    public let explanation: String
    /// The language of the plan's own words, a tag of BCP 47; nil if the plan does not say.
    public let language: String?
    /// True if the person has to agree first.
    public let needsConsent: Bool
    /// True if a parent has to agree now, because the person is a child or may be one: ``Consent/authorizedByParent``.
    public let needsParent: Bool
    /// The person's answer; ``Consent/notDetermined`` if they agreed to an earlier version.
    public let consent: Consent
    /// The version of the purpose that people are asked about now, from 1: see ``Throng/setConsent(_:for:version:)``.
    public let consentVersion: Int
    /// The signals that are set now and refuse it.
    public let refusedBy: Set<OptOutSignal>
    /// True if events are counted for it now.
    public let isAllowed: Bool
    /// The lifetime of one identifier; 0 if the device shows none. Unit: seconds.
    public let rotationSeconds: Int64
    /// The time for which numbers are kept. Unit: seconds.
    public let retentionSeconds: Int64
    /// The questions that its metrics answer.
    public let questions: [String]
}

/// A person's answer about a purpose.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nobody has asked yet, or not about this version of the purpose. Purposes that need consent count nothing.
    case notDetermined
    /// The person said no. Nothing is counted, also where the plan asks for no consent.
    case denied
    /// The person said yes.
    case authorized
    /// A parent said yes for a child.
    case authorizedByParent
    /// The person can't decide, such as a child under parental controls. Nothing is counted.
    case restricted
}
