package import ThrongWire

/// The record of processing of one app, as far as its plan and Throng itself say it.
///
/// What a controller keeps and shows to its supervisory authority: the parts of Article 30(1) of Regulation (EU) 2016/679
/// (GDPR), in their order. What no plan can say is a part of it, too: ``open``. It depends on the plan alone, so that the same
/// plan makes the same bytes on every day and machine.
package struct ProcessingRecord: Sendable, Hashable, Encodable {
    /// The version of what ``json()`` writes: keys are added within one, and never change their meaning.
    package static let format = 1

    /// ``format``.
    package let format: Int
    /// What clients call the app.
    package let app: AppName
    /// What people call it.
    package let title: String
    /// The SHA-256 of the plan's text, in hexadecimal.
    package let plan: String
    /// Where days begin: a name from the IANA time zone database.
    package let timeZone: String
    /// Who answers for it, as far as a plan says that.
    package let controller: Controller
    /// Why things are counted, in the plan's order.
    package let purposes: [Purpose]
    /// Whom it is about.
    package let people: People
    /// What devices send, and what becomes of it: the event's name, its time, and fields by name.
    package let data: [Field]
    /// Who receives numbers, in the plan's order.
    package let recipients: [Recipient]
    /// How long numbers are kept and how they get coarser, by metric in the plan's order.
    package let erasure: [Erasure]
    /// What Throng does by itself.
    package let measures: [Measure]
    /// What the plan's author has to decide and write down.
    package let open: [OpenPoint]

    /// Article 30(1)(a), as far as a plan says it.
    package struct Controller: Sendable, Hashable, Encodable {
        /// Who answers for the plan inside the house.
        package let owner: String
        /// Whom the public may ask.
        package let contact: String
    }

    /// Article 30(1)(b): why something is counted.
    package struct Purpose: Sendable, Hashable, Encodable {
        /// Its name in the plan.
        package let name: PurposeName
        /// What the numbers are for.
        package let explanation: String
        /// What they are used for, in a word of the plan's; nil where it says none.
        package let use: PurposeUse?
        /// What the plan says of a legal basis.
        package let basis: Basis
        /// The same in a sentence.
        package let basisText: String
        /// Which signals of a person's software refuse it, sorted.
        package let refusedBy: [OptOutSignal]
        /// How long an identifier lives; nil where there is none. Unit: seconds.
        package let rotationSeconds: Int64?
        /// How long numbers are kept at most. Unit: seconds.
        package let retentionSeconds: Int64
        /// What is counted for it, in the plan's order.
        package let metrics: [Metric]
    }

    /// What a plan says of a legal basis.
    package enum Basis: String, Sendable, Hashable, Encodable, CaseIterable {
        /// People have to agree first: Article 6(1)(a).
        case consent
        /// For a child a parent has to: Article 8, too.
        case consentOfParent = "consent_of_parent"
        /// Nobody is asked; on what that stands is not in the plan.
        case undecided
    }

    /// What is counted for a purpose, and why.
    package struct Metric: Sendable, Hashable, Encodable {
        /// Its name in the plan.
        package let name: MetricName
        /// What people call it.
        package let title: String
        /// Who answers for it.
        package let owner: String
        /// The question that it answers.
        package let question: String
        /// The decision that it drives.
        package let decision: String
        /// The events that it counts.
        package let events: [EventName]
        /// The first day on which it counts no more.
        package let until: String
    }

    /// Article 30(1)(c): whom it is about.
    package struct People: Sendable, Hashable, Encodable {
        /// Expected devices a day.
        package let devicesPerDay: Int
        /// Whether children are among them.
        package let directedTo: DirectedTo
        /// Who they are, in a sentence.
        package let text: String
    }

    /// Article 30(1)(c): what devices send under one name.
    package struct Field: Sendable, Hashable, Encodable {
        /// Its name; `event` is the event's own name, `at` its time.
        package let name: FieldName
        /// For which purposes, in the plan's order.
        package let purposes: [PurposeName]
        /// What becomes of it.
        package let uses: [Use]
    }

    /// What becomes of a field.
    package struct Use: Sendable, Hashable, Encodable {
        /// What people call what it becomes.
        package let title: String
        /// How coarse that is, in a sentence.
        package let precision: String
        /// All that is ever kept of it, in order; empty where these are no fixed words.
        package let buckets: [String]
    }

    /// Article 30(1)(d): who receives numbers.
    package struct Recipient: Sendable, Hashable, Encodable {
        /// Its name in the plan.
        package let name: PartnerName
        /// What people call it.
        package let title: String
        /// Whom to ask there.
        package let contact: String
        /// What it is sent.
        package let reports: [Report]
    }

    /// What a recipient is sent.
    package struct Report: Sendable, Hashable, Encodable {
        /// Its name in the plan.
        package let name: String
        /// Its heading.
        package let title: String
        /// What one covers: hour, day, week or month.
        package let period: PeriodKind
        /// When it is made; nil is only by hand.
        package let schedule: String?
        /// Where it goes: the way and the address.
        package let deliveries: [String]
        /// How long the daemon keeps its files after the end of their period. Unit: seconds.
        package let keptSeconds: Int64
        /// What it says, in reading order.
        package let insights: [Insight]
    }

    /// One answer in a report.
    package struct Insight: Sendable, Hashable, Encodable {
        /// Its name in the plan.
        package let name: String
        /// Its heading.
        package let title: String
        /// Of which metric.
        package let metric: MetricName
    }

    /// Article 30(1)(f): how long numbers of a metric are kept.
    package struct Erasure: Sendable, Hashable, Encodable {
        /// The metric.
        package let metric: MetricName
        /// What people call it.
        package let title: String
        /// What is released of it.
        package let released: Kept
        /// What age does to it; the last is the end of its purpose's retention.
        package let steps: [Step]
    }

    /// What there is of a metric at an age.
    package struct Kept: Sendable, Hashable, Encodable {
        /// What numbers cover, ascending; empty where there are none.
        package let periods: [PeriodKind]
        /// The groupings of these, each by the dimensions that split it; the total is split by none.
        package let groupings: [[DimensionName]]
        /// The same in a sentence.
        package let text: String
    }

    /// What happens at an age.
    package struct Step: Sendable, Hashable, Encodable {
        /// Counted from the end of a number's period. Unit: seconds.
        package let afterSeconds: Int64
        /// What goes, in a sentence.
        package let goes: String
        /// What is left.
        package let left: Kept
    }

    /// Article 30(1)(g): one thing that Throng does by itself.
    package struct Measure: Sendable, Hashable, Encodable {
        /// Which.
        package let kind: Kind
        /// What it does, with this plan's figures.
        package let text: String

        /// The measures that there are; a record has those that its plan calls for.
        package enum Kind: String, Sendable, Hashable, Encodable, CaseIterable {
            case plan, identifiers, transport, coarsening, threshold, bound, suppression, margin, revealed,
                devices, signals
            case children, deletion, access, reports
        }
    }

    /// Something that no plan says.
    package struct OpenPoint: Sendable, Hashable, Encodable {
        /// Under which part of the record.
        package let part: Part
        /// What has to be decided or added.
        package let text: String

        /// The parts of the record.
        package enum Part: String, Sendable, Hashable, Encodable, CaseIterable {
            case controller, purposes, people, data, recipients, erasure, measures
        }
    }
}
