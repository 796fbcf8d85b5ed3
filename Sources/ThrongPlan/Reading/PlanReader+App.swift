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
                """
                \(body.subject(.threshold)) is \(threshold.devices) devices; at least \(Threshold.forChildren.devices) are needed \
                in an app that is directed to children
                """)
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
            """
            unknown time zone \(YAMLNode.quoted(name))\(NearestName.question(nearest)) a name from the IANA database \
            is allowed, such as Europe/Vienna or UTC
            """)
    }

    // MARK: Relay and evaluator

    private mutating func address(_ value: PlanValue?) -> RelayAddress? {
        guard let text = text(value, longest: 300) else { return nil }
        return RelayAddress(text)
            ?? problems.refuse(
                value,
                """
                found \(YAMLNode.quoted(text)); https://HOST or https://HOST:PORT in small letters is \
                allowed, without a path, and http on this machine alone
                """)
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
            it: """
                is no evaluator's public key; a compressed point of P-256 in base64url is allowed, 44 \
                characters: what 'throng evaluator --public-key' prints where the evaluator runs
                """)
    }
}
