internal import Foundation
internal import ThrongWire

// Texts that people read may be there in several languages: a mapping of tags to texts in the place of a text.
extension PlanReader {
    private static var mostLanguages: Int { 64 }

    /// Reads a text for people, in one language or several; see ``text(_:longest:)``.
    ///
    /// - Parameter place: the place of the part that the text belongs to: `purposes.product`.
    /// - Returns: the text; of several the English one, or the first.
    mutating func words<Key>(_ key: Key, in body: PlanBody<Key>, of place: String, longest: Int = 120) -> String? {
        guard let value = body[key] else { return nil }
        switch value.node.content {
        case .scalar: return text(value, longest: longest)
        case .mapping(let entries):
            guard let words = words(entries, of: value, longest: longest) else { return nil }
            translations.add(words, at: "\(place).\(key.rawValue)")
            return words.texts[words.fallback]
        case .sequence: return problems.refuse(value, allowed: "a text is allowed, or a mapping of languages to texts")
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
