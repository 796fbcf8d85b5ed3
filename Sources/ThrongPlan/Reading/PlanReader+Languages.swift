internal import Foundation
internal import ThrongWire

// Texts that people read may be there in several languages: a mapping of tags to texts in the place of a text.
extension PlanReader {
    private static var mostLanguages: Int { 64 }

    /// Reads a text for people, in one language or several; see ``text(_:in:longest:)``.
    ///
    /// - Parameter place: the place of the part that the text belongs to: `purposes.product`.
    /// - Returns: the text; of several the English one, or the first.
    mutating func words<Key>(
        _ key: Key, in body: PlanBody<Key>, of place: String, longest: Int = 120
    ) -> String? {
        guard let node = body[key] else { return nil }
        let subject = body.subject(key)
        switch node.content {
        case .scalar: return text(node, subject, longest: longest)
        case .mapping(let entries):
            guard let words = words(entries, at: node.place, subject, longest: longest) else { return nil }
            translations.add(words, at: "\(place).\(key.rawValue)")
            return words.texts[words.fallback]
        case .sequence:
            return problems.refuse(node, subject, "a text is allowed, or a mapping of languages to texts")
        }
    }

    private mutating func words(
        _ entries: [YAMLNode.Entry], at place: YAMLNode.Place, _ subject: String, longest: Int
    ) -> PlanTranslations.Words? {
        guard (1...Self.mostLanguages).contains(entries.count) else {
            return problems.refuse(
                place, "\(subject) is in \(entries.count) languages; 1 to \(Self.mostLanguages) are allowed")
        }
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
            guard let text = text(entry.value, "\(subject) in '\(tag)'", longest: longest) else { continue }
            texts[tag] = text
            order.append(tag)
        }
        guard texts.count == entries.count, let first = order.first else { return nil }
        let english = LanguageTag("en").flatMap { LanguageTag.best(of: order, for: [$0]) }
        return PlanTranslations.Words(texts: texts, fallback: english ?? first)
    }

    mutating func language<Key>(_ key: Key, in body: PlanBody<Key>) -> LanguageTag? {
        guard let node = body[key], let written = text(node, body.subject(key)) else { return nil }
        return languageTag(written, at: node.place, body.subject(key))
    }

    /// Reads a tag that is well-formed and whose language and region exist.
    private mutating func languageTag(
        _ written: String, at place: YAMLNode.Place, _ subject: String
    ) -> LanguageTag? {
        guard let tag = LanguageTag(written) else {
            let meant = LanguageTag(written.replacing("_", with: "-")).map { "; did you mean '\($0)'?" } ?? ";"
            return problems.refuse(
                place,
                """
                \(subject): \(YAMLNode.quoted(written)) is no language tag\(meant) a tag of BCP 47 is allowed, such as de, \
                pt-BR or zh-Hant
                """)
        }
        let languages = Locale.LanguageCode.isoLanguageCodes.map(\.identifier)
        guard languages.contains(tag.language) else {
            let short = languages.filter { $0.utf8.count == 2 }
            let meant =
                NearestName.nearest(to: tag.language, among: short).map { "; did you mean '\($0)'?" } ?? ";"
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
