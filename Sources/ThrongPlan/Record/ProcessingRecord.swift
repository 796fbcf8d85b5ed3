package import Foundation

/// The record of processing of one app, as far as its plan and Throng itself say it.
///
/// A controller keeps such a record and shows it to its supervisory authority. It has the parts of Article 30(1) of
/// Regulation (EU) 2016/679 (GDPR), in their order, and also the points that no plan settles: ``open``. It depends on
/// the plan alone, so that the same plan makes the same bytes on every day and machine.
package struct ProcessingRecord: Sendable, Hashable, Encodable {
    /// The version of the format of ``json()``, within which keys are only added.
    package static let format = 1

    package let format: Int
    package let app: AppName
    package let title: String
    /// The SHA-256 of the plan's text, in hexadecimal.
    package let plan: String
    /// The time zone in which days begin: a name from the IANA time zone database.
    package let timeZone: String
    package let controller: Controller
    package let purposes: [Purpose]
    package let people: People
    /// The fields that devices send, and what becomes of them: the event's name, its time, and fields by name.
    package let data: [Field]
    package let recipients: [Recipient]
    /// The times for which numbers are kept, and how they get coarser, by metric in the plan's order.
    package let erasure: [Erasure]
    package let measures: [Measure]
    package let open: [OpenPoint]

    /// Article 30(1)(a), as far as a plan says it.
    package struct Controller: Sendable, Hashable, Encodable {
        package let owner: String
        package let contact: String
    }

    /// Article 30(1)(b): why something is counted.
    package struct Purpose: Sendable, Hashable, Encodable {
        package let name: PurposeName
        package let explanation: String
        /// The use of the numbers, in a word of the plan's; nil if it says none.
        package let use: PurposeUse?
        package let basis: Basis
        package let basisText: String
        /// The signals of a person's software that refuse the purpose, sorted.
        package let refusedBy: [OptOutSignal]
        /// The life of an identifier; nil if there is none. Unit: seconds.
        package let rotationSeconds: Int64?
        /// The longest time for which numbers are kept. Unit: seconds.
        package let retentionSeconds: Int64
        package let metrics: [Metric]
    }

    /// A legal basis, as far as a plan says it.
    package enum Basis: String, Sendable, Hashable, Encodable, CaseIterable {
        /// People have to agree first: Article 6(1)(a).
        case consent
        /// People have to agree first, and a parent for a child: Article 8, too.
        case consentOfParent = "consent_of_parent"
        case contract
        case legalObligation = "legal_obligation"
        case vitalInterests = "vital_interests"
        case publicTask = "public_task"
        case legitimateInterests = "legitimate_interests"
        /// Nobody is asked; the plan does not say what the legal basis is.
        case undecided
    }

    /// A metric that is counted for a purpose, and why.
    package struct Metric: Sendable, Hashable, Encodable {
        package let name: MetricName
        package let title: String
        package let owner: String
        package let question: String
        package let decision: String
        package let events: [EventName]
        package let until: String
    }

    /// Article 30(1)(c): whom it is about.
    package struct People: Sendable, Hashable, Encodable {
        package let devicesPerDay: Int
        /// The audience that the app is directed to, which says if children are among the people.
        package let directedTo: DirectedTo
        package let text: String
    }

    /// Article 30(1)(c): what devices send under one name.
    package struct Field: Sendable, Hashable, Encodable {
        /// The field's name; `event` is the event's own name, `at` its time.
        package let name: FieldName
        package let purposes: [PurposeName]
        package let uses: [Use]
    }

    /// A use of a field: what becomes of it.
    package struct Use: Sendable, Hashable, Encodable {
        /// The title, for people, of what the field becomes.
        package let title: String
        /// A sentence that says how coarse that is.
        package let precision: String
        /// All that is ever kept of the field, in order; empty if these are no fixed words.
        package let buckets: [String]
    }

    /// Article 30(1)(d): who receives numbers.
    package struct Recipient: Sendable, Hashable, Encodable {
        package let name: PartnerName
        package let title: String
        package let contact: String
        package let reports: [Report]
    }

    package struct Report: Sendable, Hashable, Encodable {
        package let name: String
        package let title: String
        /// The kind of period that it covers: hour, day, week or month.
        package let period: PeriodKind
        /// The schedule by which it is made; nil if it is made by hand only.
        package let schedule: String?
        /// True if it is made only where its alert asks for it; else nil.
        package let isAlert: Bool?
        package let deliveries: [String]
        /// The time for which the daemon keeps the report's files after the end of their period. Unit: seconds.
        package let keptSeconds: Int64
        package let insights: [Insight]
    }

    /// One answer in a report.
    package struct Insight: Sendable, Hashable, Encodable {
        package let name: String
        package let title: String
        package let metric: MetricName
    }

    /// Article 30(1)(f): how long numbers of a metric are kept.
    package struct Erasure: Sendable, Hashable, Encodable {
        package let metric: MetricName
        package let title: String
        package let released: Kept
        /// The steps of age; the last is the end of the purpose's retention.
        package let steps: [Step]
    }

    /// The numbers of a metric that there are at an age.
    package struct Kept: Sendable, Hashable, Encodable {
        /// The kinds of period that the numbers cover, ascending; empty if there are no numbers.
        package let periods: [PeriodKind]
        /// The groupings of the numbers, each by the dimensions that split it; the total is split by none.
        package let groupings: [[DimensionName]]
        package let text: String
    }

    /// A step of age: what happens then.
    package struct Step: Sendable, Hashable, Encodable {
        /// The age, counted from the end of a number's period. Unit: seconds.
        package let afterSeconds: Int64
        package let goes: String
        package let left: Kept
    }

    /// Article 30(1)(g): one thing that Throng does by itself.
    package struct Measure: Sendable, Hashable, Encodable {
        package let kind: Kind
        package let text: String

        /// The kinds of measure; a record has those that its plan calls for.
        package enum Kind: String, Sendable, Hashable, Encodable, CaseIterable {
            case plan, identifiers, transport, coarsening, threshold, bound, margin, revealed, devices, signals
            case children, deletion, access, staff, reports
        }
    }

    /// A point that no plan settles.
    package struct OpenPoint: Sendable, Hashable, Encodable {
        package let part: Part
        package let text: String

        package enum Part: String, Sendable, Hashable, Encodable, CaseIterable {
            case controller, purposes, people, data, recipients, erasure, measures
        }
    }

    /// The record as JSON with sorted keys in snake_case, the same bytes every time, without a line feed at its end.
    ///
    /// - Throws: what `JSONEncoder` throws.
    package func json() throws -> Data {
        try JSONEncoder.stable(keys: .convertToSnakeCase, .prettyPrinted).encode(self)
    }
}
