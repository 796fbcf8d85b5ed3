extension PlanReader {
    private enum Consent: String, CaseIterable {
        case required
        case notRequired = "not_required"
        case parent
    }

    mutating func readPurpose(_ part: Part) {
        guard let body: PlanBody<PlanKeys.Purpose> = body(of: part, .purpose) else { return }
        let explanation = words(.explanation, in: body, of: "purposes.\(part.name)", longest: 600)
        let use: PurposeUse? = choice(.use, in: body)
        let consent: Consent? = choice(.consent, in: body)
        let version = consentVersion(in: body, consent)
        let signals = body[.refusedBy].flatMap { refusals($0, body.subject(.refusedBy)) } ?? []
        let identifier = body[.identifier] == nil ? PurposeIdentifier.rotating : choice(.identifier, in: body)
        let floor = floor(in: body, identifier)
        let rotation = rotation(in: body, identifier)
        let floorPerNetwork = floorPerNetwork(in: body, identifier)
        let senders: Purpose.Senders = choice(.senders, in: body) ?? .anybody
        let retention = duration(.retention, in: body, .seconds(86_400) ... .seconds(3660 * 86_400))
        let transport = body[.transport] == nil ? PurposeTransport.direct : choice(.transport, in: body)
        guard let explanation, let consent, let retention, let identifier, let transport else { return }
        purposes.append(
            Purpose(
                name: PurposeName(part.name), explanation: explanation, needsConsent: consent != .notRequired,
                needsParent: consent == .parent, consentVersion: version, use: use, refusedBy: Set(signals),
                identifier: identifier, floor: floor, rotation: rotation, retention: retention,
                transport: transport, senders: senders, floorPerNetwork: floorPerNetwork))
    }

    /// Reads the kind of devices that floors count; without an identifier nobody can prove one.
    private mutating func floor(in body: PlanBody<PlanKeys.Purpose>, _ identifier: PurposeIdentifier?) -> FloorKind {
        guard let node = body[.floor], let floor: FloorKind = choice(.floor, in: body) else { return .any }
        if identifier == .absent, floor == .attested {
            problems.add(
                node.place,
                """
                \(body.subject(.floor)) is attested and 'identifier' is none; what is proved is an identifier: delete one of \
                the two
                """)
        }
        return floor
    }

    /// Reads the number of identifiers of one network that lift floors. It is compared with k once metrics are known.
    private mutating func floorPerNetwork(
        in body: PlanBody<PlanKeys.Purpose>, _ identifier: PurposeIdentifier?
    ) -> Int? {
        guard let node = body[.floorPerNetwork] else { return nil }
        if identifier == .absent {
            problems.add(
                node.place,
                "\(body.subject(.floorPerNetwork)) is there and 'identifier' is none; nobody is told apart then: delete it"
            )
        }
        return integer(.floorPerNetwork, in: body, 1...1_000_000)
    }

    /// Reads the length of windows; without an identifier nothing rotates.
    private mutating func rotation(
        in body: PlanBody<PlanKeys.Purpose>, _ identifier: PurposeIdentifier?
    ) -> Rotation {
        let given = duration(.rotation, in: body, .seconds(60) ... .seconds(Rotation.longest.seconds))
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
    private mutating func consentVersion(in body: PlanBody<PlanKeys.Purpose>, _ consent: Consent?) -> Int {
        guard let node = body[.consentVersion] else { return 1 }
        let version = integer(.consentVersion, in: body, 1...1_000_000)
        if consent == .notRequired, version != nil {
            problems.add(
                node.place,
                """
                \(body.subject(.consentVersion)) is there and 'consent' is not_required; a version is allowed where people \
                are asked: delete it, or write consent: required or parent
                """)
        }
        return version ?? 1
    }

    private mutating func refusals(_ node: YAMLNode, _ subject: String) -> [OptOutSignal]? {
        choices(node, subject)
    }

    /// Reads a list of an enumeration's words without repetition.
    mutating func choices<Choice: RawRepresentable<String> & CaseIterable>(
        _ node: YAMLNode, _ subject: String, _: Choice.Type = Choice.self
    ) -> [Choice]? {
        guard let nodes = list(node, subject) else { return nil }
        var found: [Choice] = []
        for node in nodes {
            guard let choice: Choice = choice(node, subject) else { continue }
            if found.contains(where: { $0.rawValue == choice.rawValue }) {
                problems.add(node.place, "\(subject): '\(choice.rawValue)' is listed twice; keep one")
            } else {
                found.append(choice)
            }
        }
        return found
    }
}
