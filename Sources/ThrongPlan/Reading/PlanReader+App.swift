internal import Crypto
internal import Foundation

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
            it: "is \(PlanNumber.text(budget)); 0.01 to 100 with at most 2 decimal places is allowed: "
                + "ρ of a device and day")
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

    // Texts that people read may be there in several languages: a mapping of tags to texts in the place of a text.

    private static var mostLanguages: Int { 64 }

    /// Reads a text for people, in one language or several; see ``text(_:longest:)``.
    ///
    /// - Parameter place: the place of the part that the text belongs to: `purposes.product`.
    /// - Returns: the text; of several the English one, or the first.
    mutating func words<Key>(_ key: Key, in body: PlanBody<Key>, of place: String, longest: Int = 120) -> String? {
        body[key].flatMap { words($0, at: "\(place).\(key.rawValue)", longest: longest) }
    }

    private mutating func words(_ value: PlanValue, at place: String, longest: Int) -> String? {
        switch value.node.content {
        case .scalar: return text(value, longest: longest)
        case .mapping(let entries):
            guard let words = words(entries, of: value, longest: longest) else { return nil }
            translations.add(words, at: place)
            return words.texts[words.fallback]
        case .sequence: return problems.refuse(value, allowed: "a text is allowed, or a mapping of languages to texts")
        }
    }

    /// Reads `{bucket: text}`, each text in one language or several: how people are told buckets of a dimension.
    mutating func titles(_ value: PlanValue?, of dimension: String, _ buckets: [BucketLabel]) -> [BucketLabel: String] {
        guard let value else { return [:] }
        guard let entries = value.entries else {
            let allowed = "a mapping of buckets to what people read is allowed, such as {cart: Shopping cart}"
            return problems.refuse(value, allowed: allowed) ?? [:]
        }
        var titles: [BucketLabel: String] = [:]
        let named = buckets.filter { $0 != .other }
        for entry in entries {
            let (label, bucket) = (BucketLabel(entry.key), YAMLNode.quoted(entry.key))
            guard named.contains(label), titles[label] == nil else {
                let advice = NearestName.advice(for: entry.key, among: named.map(\.text), noun: "buckets")
                let said = label == .other ? "; every language has its word for 'other'" : advice
                let wrong = titles[label] == nil ? "there is no bucket \(bucket)\(said)" : "\(bucket) is given twice"
                problems.add(entry.place, "\(value.subject): \(wrong)")
                continue
            }
            let text = PlanValue(node: entry.value, subject: "\(value.subject) of \(bucket)")
            titles[label] = words(text, at: "dimensions.\(dimension).titles.\(label)", longest: 64)
        }
        checkAlike(named.map { ($0, titles[$0] ?? $0.text, "dimensions.\(dimension).titles.\($0)") }, in: value)
        return titles
    }

    /// Notes two buckets that some reader could not tell apart.
    mutating func checkAlike(_ buckets: [(label: BucketLabel, text: String, place: String)], in value: PlanValue) {
        for tag in [nil] + translations.languages {
            var told: [String: BucketLabel] = [:]
            for (label, text, place) in buckets {
                let text = translations.words[place]?.best(for: tag)?.text ?? text
                if let other = told.updateValue(label, forKey: text) {
                    return problems.add(value, "'\(other)' and '\(label)' both read '\(text)'; tell them apart")
                }
            }
        }
    }

    private mutating func words(
        _ entries: [YAMLNode.Entry], of value: PlanValue, longest: Int
    ) -> PlanTranslations.Words? {
        guard (1...Self.mostLanguages).contains(entries.count) else {
            return problems.refuse(
                value, it: "is in \(entries.count) languages; 1 to \(Self.mostLanguages) are allowed")
        }
        let subject = value.subject
        var texts: [LanguageTag: String] = [:]
        var lines: [LanguageTag: Int] = [:]
        var order: [LanguageTag] = []
        for entry in entries {
            guard let tag = languageTag(entry.key, at: entry.place, subject) else { continue }
            if let line = lines[tag] {
                problems.add(entry.place, "\(subject): '\(tag)' is already given in line \(line); keep one of them")
                continue
            }
            lines[tag] = entry.place.line
            let value = PlanValue(node: entry.value, subject: "\(subject) in '\(tag)'")
            guard let text = text(value, longest: longest) else { continue }
            texts[tag] = text
            order.append(tag)
        }
        guard texts.count == entries.count, let first = order.first else { return nil }
        let english = LanguageTag("en").flatMap { LanguageTag.best(of: order, for: [$0]) }
        return PlanTranslations.Words(texts: texts, fallback: english ?? first)
    }

    mutating func language(_ value: PlanValue?) -> LanguageTag? {
        guard let value, let written = text(value) else { return nil }
        return languageTag(written, at: value.place, value.subject)
    }

    /// Reads a tag that is well-formed and whose language and region exist.
    private mutating func languageTag(_ written: String, at place: YAMLNode.Place, _ subject: String) -> LanguageTag? {
        guard let tag = LanguageTag(written) else {
            let meant = NearestName.question(LanguageTag(written.replacing("_", with: "-"))?.text)
            return problems.refuse(
                place,
                "\(subject): \(YAMLNode.quoted(written)) is no language tag\(meant) a tag of BCP 47 is allowed, such "
                    + "as de, pt-BR or zh-Hant")
        }
        let languages = Locale.LanguageCode.isoLanguageCodes.map(\.identifier)
        guard languages.contains(tag.language) else {
            let short = languages.filter { $0.utf8.count == 2 }
            let meant = NearestName.question(NearestName.nearest(to: tag.language, among: short))
            return problems.refuse(
                place,
                "\(subject): unknown language '\(tag.language)'\(meant) a code of ISO 639 is allowed, such as de")
        }
        if let region = tag.region, !Locale.Region.isoRegions.contains(where: { $0.identifier == region }) {
            return problems.refuse(
                place,
                "\(subject): unknown region '\(region)' in '\(tag)'; a code of ISO 3166 is allowed, such as de-AT")
        }
        return tag
    }
}

extension LanguageTag {
    /// The region of two letters, or of three digits as the United Nations have them.
    fileprivate var region: String? {
        text.split(separator: "-").dropFirst()
            .first { $0.utf8.count == 2 || ($0.utf8.count == 3 && UInt($0) != nil) }.map(String.init)
    }
}
