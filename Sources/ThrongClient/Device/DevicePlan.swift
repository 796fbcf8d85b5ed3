internal import ThrongWire

/// A public plan as a device follows it, compiled to tables. It comes from the network, so nothing in it is trusted.
struct DevicePlan: Sendable {
    let published: PublicPlan
    let calendar: PeriodCalendar
    /// The purposes in the plan's order.
    let purposes: [Purpose]
    /// The fields that hold values of open vocabularies.
    let revealedFields: Set<String>
    /// The relay that sealed purposes go through; nil if the plan names none.
    var relay: RelayAddress? { published.relay }
    /// The evaluator of values of open vocabularies, before they are hashed; nil if the plan names none.
    var evaluator: Evaluator? { published.evaluator }

    struct Purpose: Sendable {
        let name: String
        let explanation: String
        let needsConsent: Bool
        /// The version that people are asked about.
        let consentVersion: Int
        /// True if children are counted, or may be: no identifier of the purpose outlives the process.
        let countsChildren: Bool
        /// The person whose consent counts.
        let consenting: Consenting
        let refusedBy: Set<OptOutSignal>
        /// True if the device shows an identifier; without one it knows only what it has recorded in a metric's period.
        let hasIdentifiers: Bool
        /// The lifetime of an identifier; without identifiers, the length of the windows that batches name.
        let rotation: Rotation
        /// True if only proved identifiers lift its floors. Children prove none: they would be known again.
        let needsProof: Bool
        /// True if it is sealed, and goes through the relay or not at all.
        let isOblivious: Bool
        let contextFields: Set<String>
        let events: [String: Event]
        /// Metrics that devices answer about themselves.
        let answered: [Metric]
    }

    /// The person whose consent counts for a purpose that asks for it.
    enum Consenting: Sendable {
        case person
        /// A parent's, unless the person is grown up.
        case parentOfChild
        case parent
    }

    struct Event: Sendable {
        /// The purpose's metrics that count the event.
        let metrics: [Metric]
        /// The treatment of each field that may be sent, by the field's name.
        let fields: [String: Coarsening]
        /// The finest stretch of time that any of the metrics tells apart.
        let grain: PeriodKind
        /// Share that is sent: one event is sent once for all metrics, so the smallest of their rates.
        let sampling: Double
    }

    init(_ plan: PublicPlan) throws {
        guard let calendar = PeriodCalendar(timeZone: plan.timeZone) else {
            throw ThrongError.plan("this device does not know its time zone.")
        }
        published = plan
        self.calendar = calendar
        let metrics = try plan.metrics.map { try Metric($0, in: plan, calendar: calendar) }
        revealedFields = Set(metrics.flatMap(\.dimensions).filter(\.isRevealed).map(\.field))
        purposes = try plan.purposes.map { purpose in
            guard (60...86_400).contains(purpose.rotationSeconds) else {
                throw ThrongError.plan("an identifier must live from a minute to a day.")
            }
            guard purpose.transport != .oblivious || plan.relay != nil else {
                throw ThrongError.plan("it names no relay for what is to go through one.")
            }
            let own = metrics.filter { $0.purpose == purpose.name.text }
            let hasIdentifiers = purpose.identifier != .absent
            guard hasIdentifiers || !own.contains(where: { $0.asksForMore || $0.isOncePerWindow }) else {
                throw ThrongError.plan("it asks without identifiers what takes one.")
            }
            let countsChildren =
                plan.directedTo == .children || plan.directedTo == .mixed && !purpose.refusedBy.contains(.ageSignal)
            if countsChildren {
                guard purpose.rotationSeconds <= 3600, purpose.use != .marketing, !own.contains(where: \.asksForMore)
                else { throw ThrongError.plan("it asks of children what no plan may.") }
            }
            var events: [String: Event] = [:]
            for event in purpose.events {
                let counting = own.filter { $0.events.contains(event.name.text) }
                events[event.name.text] = Event(
                    metrics: counting,
                    fields: Dictionary(
                        event.fields.map { ($0.text, Coarsening(of: $0, for: counting)) }, uniquingKeysWith: { $1 }),
                    grain: Self.grain(of: counting), sampling: counting.map(\.sampling).min() ?? 1)
            }
            return Purpose(
                name: purpose.name.text, explanation: purpose.explanation, needsConsent: purpose.needsConsent,
                consentVersion: max(1, purpose.consentVersion ?? 1), countsChildren: countsChildren,
                consenting: purpose.consentOfParent != true
                    ? .person : plan.directedTo == .mixed ? .parentOfChild : .parent, refusedBy: Set(purpose.refusedBy),
                hasIdentifiers: hasIdentifiers, rotation: Rotation(seconds: purpose.rotationSeconds),
                needsProof: purpose.floor == .attested && hasIdentifiers && !countsChildren,
                isOblivious: purpose.transport == .oblivious, contextFields: Set(purpose.contextFields.map(\.text)),
                events: events, answered: own.filter { $0.answered != nil })
        }
    }

    /// The finest stretch of time that any of the metrics tells apart.
    private static func grain(of metrics: [Metric]) -> PeriodKind {
        let grains = Set(metrics.map(\.grain))
        // A week may lie in two months.
        return grains == [.week, .month] ? .day : grains.min() ?? .day
    }

    func purpose(_ name: String) -> Purpose? { purposes.first { $0.name == name } }
}

extension DevicePlan.Purpose {
    /// Says whether a parent has to agree, as far as the signals tell the person's age.
    func needsParent(_ signals: Set<OptOutSignal>) -> Bool {
        switch consenting {
        case .person: false
        case .parentOfChild: signals.contains(.ageSignal)
        case .parent: true
        }
    }
}
