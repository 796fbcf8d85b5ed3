import Foundation

extension PlanReader {
    mutating func readApp(_ node: YAMLNode, at place: YAMLNode.Place) {
        guard let body: PlanBody<PlanKeys.App> = body(of: node, "app", at: place) else { return }
        let name: AppName? = name(.name, in: body, noun: "app")
        let title = words(.title, in: body, of: "app")
        let owner = text(.owner, in: body)
        let contact = text(.contact, in: body)
        let audience = integer(.audience, in: body, 1...10_000_000_000)
        let threshold = threshold(.threshold, in: body) ?? .standard
        let budget = budget(in: body)
        let timeZone = timeZone(.timeZone, in: body) ?? "UTC"
        let grace = duration(.grace, in: body, .zero ... .seconds(30 * 86_400)) ?? .seconds(86_400)
        let directedTo: DirectedTo = choice(.directedTo, in: body) ?? .general
        let relay = relay(in: body)
        let evaluator = evaluator(in: body)
        let keys: App.KeyRule = choice(.keys, in: body) ?? .optional
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
            evaluator: evaluator,
            keys: keys)
    }

    /// Reads a k of at least ``Threshold/lowest``.
    mutating func threshold<Key>(_ key: Key, in body: PlanBody<Key>) -> Threshold? {
        guard let node = body[key], let devices = integer(key, in: body, 0...1_000_000_000) else { return nil }
        guard devices >= Threshold.lowest else {
            return problems.refuse(
                node.place,
                """
                \(body.subject(key)) is \(devices) devices; at least \(Threshold.lowest) are needed: smaller groups \
                point at people
                """)
        }
        return Threshold(devices: Int64(devices))
    }

    private mutating func budget(in body: PlanBody<PlanKeys.App>) -> Double? {
        guard let budget = number(.budget, in: body) else { return nil }
        if budget >= 0.01, budget <= 100, (budget * 100).rounded() / 100 == budget { return budget }
        return problems.refuse(
            body[.budget]?.place,
            """
            \(body.subject(.budget)) is \(PlanNumber.text(budget)); 0.01 to 100 with at most 2 decimal places is allowed: ρ of a \
            device and day
            """)
    }

    private mutating func timeZone<Key>(_ key: Key, in body: PlanBody<Key>) -> String? {
        guard let node = body[key], let name = text(key, in: body) else { return nil }
        let known = TimeZone.knownTimeZoneIdentifiers
        if name == "UTC" || known.contains(name) || (name.contains("/") && PeriodCalendar(timeZone: name) != nil) {
            return name
        }
        let city = "/" + name.lowercased().replacing(" ", with: "_")
        let nearest = known.first { $0.lowercased().hasSuffix(city) } ?? NearestName.nearest(to: name, among: known)
        let meant = nearest.map { "; did you mean '\($0)'?" } ?? ";"
        return problems.refuse(
            node.place,
            """
            \(body.subject(key)): unknown time zone \(YAMLNode.quoted(name))\(meant) a name from the IANA database \
            is allowed, such as Europe/Vienna or UTC
            """)
    }
}
