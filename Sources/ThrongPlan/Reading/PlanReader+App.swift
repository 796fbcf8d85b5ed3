internal import Crypto
import Foundation
internal import ThrongWire

extension PlanReader {
    mutating func readApp(_ node: YAMLNode, at place: YAMLNode.Place?) {
        guard let body = body(PlanValue(node: node, subject: "app"), PlanKeys.App.self, at: place) else { return }
        let name: AppName? = name(body[.name], noun: "app")
        let title = words(.title, in: body, of: "app")
        let owner = text(body[.owner])
        let contact = text(body[.contact])
        let audience = integer(body[.audience], 1...10_000_000_000)
        let threshold = threshold(body[.threshold]) ?? .standard
        let budget = budget(body[.budget])
        let timeZone = timeZone(body[.timeZone]) ?? "UTC"
        let grace = duration(body[.grace], .zero ... .seconds(30 * 86_400)) ?? .seconds(86_400)
        let directedTo: DirectedTo = choice(body[.directedTo]) ?? .general
        let relay = address(body[.relay])
        let evaluator = evaluator(body[.evaluator])
        let keys: App.KeyRule = choice(body[.keys]) ?? .optional
        if directedTo == .children, threshold < .forChildren {
            problems.add(
                body[.threshold]?.place ?? body[.directedTo]?.place,
                "\(body.subject(.threshold)) is \(threshold.devices) devices; at least "
                    + "\(Threshold.forChildren.devices) are needed in an app that is directed to children")
        }
        guard let name, let title, let owner, let contact, let audience else { return }
        app = App(
            name: name, title: title, owner: owner, contact: contact, audience: audience, threshold: threshold,
            budget: budget, timeZone: timeZone, grace: grace, directedTo: directedTo, relay: relay,
            evaluator: evaluator, keys: keys)
    }

    /// Reads a k of at least ``Threshold/lowest``.
    mutating func threshold(_ value: PlanValue?) -> Threshold? {
        guard let devices = integer(value, 0...1_000_000_000) else { return nil }
        if devices >= Threshold.lowest { return Threshold(devices: Int64(devices)) }
        return problems.refuse(
            value, it: "is \(devices) devices; at least \(Threshold.lowest) are needed: smaller groups point at people")
    }

    private mutating func budget(_ value: PlanValue?) -> Double? {
        guard let budget = number(value) else { return nil }
        if budget >= 0.01, budget <= 100, (budget * 100).rounded() / 100 == budget { return budget }
        return problems.refuse(
            value,
            it: """
                is \(PlanNumber.text(budget)); 0.01 to 100 with at most 2 decimal places is allowed: ρ of a device and day
                """)
    }

    private mutating func timeZone(_ value: PlanValue?) -> String? {
        guard let name = text(value) else { return nil }
        let known = TimeZone.knownTimeZoneIdentifiers
        if name == "UTC" || known.contains(name) || (name.contains("/") && PeriodCalendar(timeZone: name) != nil) {
            return name
        }
        let city = "/" + name.lowercased().replacing(" ", with: "_")
        let nearest = known.first { $0.lowercased().hasSuffix(city) } ?? NearestName.nearest(to: name, among: known)
        return problems.refuse(
            value,
            "unknown time zone \(YAMLNode.quoted(name))\(NearestName.question(nearest)) a name from the IANA database "
                + "is allowed, such as Europe/Vienna or UTC")
    }

    // MARK: Relay and evaluator

    private mutating func address(_ value: PlanValue?) -> RelayAddress? {
        guard let text = text(value, longest: 300) else { return nil }
        return RelayAddress(text)
            ?? problems.refuse(
                value,
                "found \(YAMLNode.quoted(text)); https://HOST or https://HOST:PORT in small letters is allowed, "
                    + "without a path, and http on this machine alone")
    }

    private mutating func evaluator(_ value: PlanValue?) -> Evaluator? {
        guard let body = body(value, PlanKeys.Evaluator.self) else { return nil }
        let url = address(body[.url])
        guard let key = evaluatorKey(body[.key]), let url else { return nil }
        return Evaluator(url: url, key: key)
    }

    private mutating func evaluatorKey(_ value: PlanValue?) -> EvaluatorKey? {
        guard let text = text(value) else { return nil }
        if let key = EvaluatorKey(text: text.utf8) {
            do {
                _ = try P256.Signing.PublicKey(compressedRepresentation: key.bytes)
                return key
            } catch {
                // 33 bytes that are no point: said below.
            }
        }
        return problems.refuse(
            value,
            it: "is no evaluator's public key; a compressed point of P-256 in base64url is allowed, 44 characters: "
                + "what 'throng evaluator --public-key' prints where the evaluator runs")
    }

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
        let basis = legalBasis(body[.legalBasis], consent)
        let version = consentVersion(body[.consentVersion], consent)
        let signals: [OptOutSignal] = choices(body[.refusedBy]) ?? []
        let identifier = body[.identifier] == nil ? PurposeIdentifier.rotating : choice(body[.identifier])
        let floor = floor(body[.floor], identifier)
        let rotation = rotation(in: body, identifier)
        let floorPerNetwork = floorPerNetwork(body[.floorPerNetwork], identifier)
        let senders: PurposeSenders = choice(body[.senders]) ?? .anybody
        let retention = duration(body[.retention], .seconds(86_400) ... .seconds(3660 * 86_400))
        let transport = body[.transport] == nil ? PurposeTransport.direct : choice(body[.transport])
        guard let explanation, let consent, let retention, let identifier, let transport else { return }
        purposes.append(
            Purpose(
                name: PurposeName(part.name), explanation: explanation, needsConsent: consent != .notRequired,
                needsParent: consent == .parent, legalBasis: basis, consentVersion: version, use: use,
                refusedBy: Set(signals), identifier: identifier, floor: floor, rotation: rotation, retention: retention,
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
    private mutating func rotation(in body: PlanBody<PlanKeys.Purpose>, _ identifier: PurposeIdentifier?) -> Rotation {
        let given = duration(body[.rotation], .seconds(60) ... .seconds(Rotation.longest.seconds))
        guard identifier == .absent else { return given.map { Rotation(seconds: $0.components.seconds) } ?? .standard }
        if let place = body.keyPlaces[.rotation] {
            problems.add(
                place,
                "\(body.subject(.rotation)) is there and 'identifier' is none; without an identifier nothing rotates: "
                    + "delete it, or write 'identifier: rotating'")
        }
        return .batches
    }

    /// Reads the legal basis where nobody is asked; elsewhere people's yes is it.
    private mutating func legalBasis(_ value: PlanValue?, _ consent: Consent?) -> LegalBasis? {
        if let consent, consent != .notRequired {
            problems.add(
                value,
                it: "is there and 'consent' is \(consent.rawValue); a person's yes is the legal basis then: delete it, "
                    + "or write consent: not_required")
            return nil
        }
        return choice(value)
    }

    /// Reads the version that people are asked about; 1 if the plan does not say.
    private mutating func consentVersion(_ value: PlanValue?, _ consent: Consent?) -> Int {
        guard let version = integer(value, 1...1_000_000) else { return 1 }
        if consent == .notRequired {
            problems.add(
                value,
                it: "is there and 'consent' is not_required; a version is allowed where people are asked: delete it, "
                    + "or write consent: required or parent")
        }
        return version
    }
}
