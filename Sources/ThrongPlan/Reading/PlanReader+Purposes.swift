extension PlanReader {
    private enum Consent: String, CaseIterable {
        case required
        case notRequired = "not_required"
        case parent
    }

    mutating func readPurpose(_ part: Part) {
        guard let body = body(of: part, PlanKeys.Purpose.self) else { return }
        let explanation = words(.explanation, in: body, of: "purposes.\(part.name)", longest: 600)
        let use: PurposeUse? = choice(body[.use])
        let consent: Consent? = choice(body[.consent])
        let version = consentVersion(body[.consentVersion], consent)
        let signals: [OptOutSignal] = choices(body[.refusedBy]) ?? []
        let identifier = body[.identifier] == nil ? PurposeIdentifier.rotating : choice(body[.identifier])
        let floor = floor(body[.floor], identifier)
        let rotation = rotation(in: body, identifier)
        let floorPerNetwork = floorPerNetwork(body[.floorPerNetwork], identifier)
        let senders: Purpose.Senders = choice(body[.senders]) ?? .anybody
        let retention = duration(body[.retention], .seconds(86_400) ... .seconds(3660 * 86_400))
        let transport = body[.transport] == nil ? PurposeTransport.direct : choice(body[.transport])
        guard let explanation, let consent, let retention, let identifier, let transport else { return }
        purposes.append(
            Purpose(
                name: PurposeName(part.name), explanation: explanation, needsConsent: consent != .notRequired,
                needsParent: consent == .parent, consentVersion: version, use: use, refusedBy: Set(signals),
                identifier: identifier, floor: floor, rotation: rotation, retention: retention,
                transport: transport, senders: senders, floorPerNetwork: floorPerNetwork))
    }

    /// Reads the kind of devices that floors count; without an identifier nobody can prove one.
    private mutating func floor(_ value: PlanValue?, _ identifier: PurposeIdentifier?) -> FloorKind {
        let floor: FloorKind = choice(value) ?? .any
        if identifier == .absent, floor == .attested {
            problems.add(
                value,
                it: "is attested and 'identifier' is none; what is proved is an identifier: delete one of the two")
        }
        return floor
    }

    /// Reads the number of identifiers of one network that lift floors. It is compared with k once metrics are known.
    private mutating func floorPerNetwork(_ value: PlanValue?, _ identifier: PurposeIdentifier?) -> Int? {
        if identifier == .absent {
            problems.add(value, it: "is there and 'identifier' is none; nobody is told apart then: delete it")
        }
        return integer(value, 1...1_000_000)
    }

    /// Reads the length of windows; without an identifier nothing rotates.
    private mutating func rotation(
        in body: PlanBody<PlanKeys.Purpose>, _ identifier: PurposeIdentifier?
    ) -> Rotation {
        let given = duration(body[.rotation], .seconds(60) ... .seconds(Rotation.longest.seconds))
        guard identifier == .absent else { return given.map { Rotation(seconds: $0.components.seconds) } ?? .standard }
        if let place = body.keyPlaces[.rotation] {
            problems.add(
                place,
                """
                \(body.subject(.rotation)) is there and 'identifier' is none; without an identifier nothing rotates: delete \
                it, or write 'identifier: rotating'
                """)
        }
        return .batches
    }

    /// Reads the version that people are asked about; 1 if the plan does not say.
    private mutating func consentVersion(_ value: PlanValue?, _ consent: Consent?) -> Int {
        guard let version = integer(value, 1...1_000_000) else { return 1 }
        if consent == .notRequired {
            problems.add(
                value,
                it: """
                    is there and 'consent' is not_required; a version is allowed where people are asked: delete it, or write \
                    consent: required or parent
                    """)
        }
        return version
    }
}
