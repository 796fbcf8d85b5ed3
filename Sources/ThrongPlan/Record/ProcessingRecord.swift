package import ThrongWire

/// The record of processing of one app, as far as its plan and Throng itself say it.
///
/// A controller keeps such a record and shows it to its supervisory authority. It has the parts of Article 30(1) of
/// Regulation (EU) 2016/679 (GDPR), in their order, and also the points that no plan settles: ``open``. It depends on
/// the plan alone, so that the same plan makes the same bytes on every day and machine.
package struct ProcessingRecord: Sendable, Hashable, Encodable {
    /// The version of the format that ``json()`` writes: keys are added within one version, and never change their
    /// meaning.
    package static let format = 1

    /// The record's ``format``.
    package let format: Int
    /// The app's name, as clients use it.
    package let app: AppName
    /// The app's title, for people.
    package let title: String
    /// The SHA-256 of the plan's text, in hexadecimal.
    package let plan: String
    /// The time zone in which days begin: a name from the IANA time zone database.
    package let timeZone: String
    /// The controller, as far as a plan names one.
    package let controller: Controller
    /// The purposes that things are counted for, in the plan's order.
    package let purposes: [Purpose]
    /// The people whom the record is about.
    package let people: People
    /// The fields that devices send, and what becomes of them: the event's name, its time, and fields by name.
    package let data: [Field]
    /// The recipients of numbers, in the plan's order.
    package let recipients: [Recipient]
    /// The times for which numbers are kept, and how they get coarser, by metric in the plan's order.
    package let erasure: [Erasure]
    /// The measures that Throng takes by itself.
    package let measures: [Measure]
    /// The points that the plan's author has to decide and write down.
    package let open: [OpenPoint]

    /// Article 30(1)(a), as far as a plan says it.
    package struct Controller: Sendable, Hashable, Encodable {
        /// The person or team that answers for the plan inside the organization.
        package let owner: String
        /// The contact for the public.
        package let contact: String
    }

    /// Article 30(1)(b): why something is counted.
    package struct Purpose: Sendable, Hashable, Encodable {
        /// The purpose's name in the plan.
        package let name: PurposeName
        /// The explanation of what the numbers are for.
        package let explanation: String
        /// The use of the numbers, in a word of the plan's; nil if it says none.
        package let use: PurposeUse?
        /// The legal basis, as far as the plan says it.
        package let basis: Basis
        /// The legal basis in a sentence.
        package let basisText: String
        /// The signals of a person's software that refuse the purpose, sorted.
        package let refusedBy: [OptOutSignal]
        /// The life of an identifier; nil if there is none. Unit: seconds.
        package let rotationSeconds: Int64?
        /// The longest time for which numbers are kept. Unit: seconds.
        package let retentionSeconds: Int64
        /// The metrics that are counted for the purpose, in the plan's order.
        package let metrics: [Metric]
    }

    /// A legal basis, as far as a plan says it.
    package enum Basis: String, Sendable, Hashable, Encodable, CaseIterable {
        /// People have to agree first: Article 6(1)(a).
        case consent
        /// People have to agree first, and a parent for a child: Article 8, too.
        case consentOfParent = "consent_of_parent"
        /// Nobody is asked; the plan does not say what the legal basis is.
        case undecided
    }

    /// A metric that is counted for a purpose, and why.
    package struct Metric: Sendable, Hashable, Encodable {
        /// The metric's name in the plan.
        package let name: MetricName
        /// The metric's title, for people.
        package let title: String
        /// The person or team that answers for the metric.
        package let owner: String
        /// The question that the metric answers.
        package let question: String
        /// The decision that the metric drives.
        package let decision: String
        /// The events that the metric counts.
        package let events: [EventName]
        /// The first day on which the metric counts no more.
        package let until: String
    }

    /// Article 30(1)(c): whom it is about.
    package struct People: Sendable, Hashable, Encodable {
        /// The expected number of devices a day.
        package let devicesPerDay: Int
        /// The audience that the app is directed to, which says if children are among the people.
        package let directedTo: DirectedTo
        /// A sentence that says who the people are.
        package let text: String
    }

    /// Article 30(1)(c): what devices send under one name.
    package struct Field: Sendable, Hashable, Encodable {
        /// The field's name; `event` is the event's own name, `at` its time.
        package let name: FieldName
        /// The purposes that it is sent for, in the plan's order.
        package let purposes: [PurposeName]
        /// The uses that are made of it.
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
        /// The partner's name in the plan.
        package let name: PartnerName
        /// The partner's title, for people.
        package let title: String
        /// The contact at the partner.
        package let contact: String
        /// The reports that the partner is sent.
        package let reports: [Report]
    }

    /// A report that a recipient is sent.
    package struct Report: Sendable, Hashable, Encodable {
        /// The name in the plan.
        package let name: String
        /// The heading.
        package let title: String
        /// The kind of period that it covers: hour, day, week or month.
        package let period: PeriodKind
        /// The schedule by which it is made; nil if it is made by hand only.
        package let schedule: String?
        /// The destinations: the way and the address of each.
        package let deliveries: [String]
        /// The time for which the daemon keeps the report's files after the end of their period. Unit: seconds.
        package let keptSeconds: Int64
        /// The insights, in reading order.
        package let insights: [Insight]
    }

    /// One answer in a report.
    package struct Insight: Sendable, Hashable, Encodable {
        /// The name in the plan.
        package let name: String
        /// The heading.
        package let title: String
        /// The metric that the insight reads.
        package let metric: MetricName
    }

    /// Article 30(1)(f): how long numbers of a metric are kept.
    package struct Erasure: Sendable, Hashable, Encodable {
        /// The metric.
        package let metric: MetricName
        /// The metric's title, for people.
        package let title: String
        /// The numbers that are released of the metric.
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
        /// The numbers that there are, in a sentence.
        package let text: String
    }

    /// A step of age: what happens then.
    package struct Step: Sendable, Hashable, Encodable {
        /// The age, counted from the end of a number's period. Unit: seconds.
        package let afterSeconds: Int64
        /// The numbers that go, in a sentence.
        package let goes: String
        /// The numbers that are left.
        package let left: Kept
    }

    /// Article 30(1)(g): one thing that Throng does by itself.
    package struct Measure: Sendable, Hashable, Encodable {
        /// The kind of measure.
        package let kind: Kind
        /// The effect of the measure, with this plan's figures.
        package let text: String

        /// The kinds of measure; a record has those that its plan calls for.
        package enum Kind: String, Sendable, Hashable, Encodable, CaseIterable {
            case plan, identifiers, transport, coarsening, threshold, bound, margin, revealed, devices, signals
            case children, deletion, access, reports
        }
    }

    /// A point that no plan settles.
    package struct OpenPoint: Sendable, Hashable, Encodable {
        /// The part of the record to which the point belongs.
        package let part: Part
        /// The point: what has to be decided or added.
        package let text: String

        /// The parts of the record.
        package enum Part: String, Sendable, Hashable, Encodable, CaseIterable {
            case controller, purposes, people, data, recipients, erasure, measures
        }
    }
}
