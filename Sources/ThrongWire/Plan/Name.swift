/// A name from the plan, of one kind of thing: names of metrics and names of dimensions can't be mixed up.
///
/// - Shape: 1 to 63 characters of `a-z`, `0-9` and `_`, starting with a letter; the plan's reader enforces it.
public struct Name<Thing>: Hashable, Sendable, Comparable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The name as written in the plan.
    public let text: String

    /// Wraps a name that is already known to be well formed.
    public init(_ text: String) { self.text = text }

    /// Orders names by their UTF-8 bytes.
    public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
    /// The bare name.
    public var description: String { text }
    /// A name written in source, mostly in tests.
    public init(stringLiteral value: String) { self.init(value) }
    /// Reads the bare string.
    public init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }
    /// Writes the bare string.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// The name of an app.
public typealias AppName = Name<NamedThing.App>
/// The name of a purpose.
public typealias PurposeName = Name<NamedThing.Purpose>
/// The name of a dimension.
public typealias DimensionName = Name<NamedThing.Dimension>
/// The name of a metric.
public typealias MetricName = Name<NamedThing.Metric>
/// The name of a partner.
public typealias PartnerName = Name<NamedThing.Partner>
/// The name of an event, as clients send it.
public typealias EventName = Name<NamedThing.Event>
/// The name of an event's field, as clients send it.
public typealias FieldName = Name<NamedThing.Field>

/// Tags for ``Name``: the things of a plan that both sides of the wire name.
public enum NamedThing {
    /// Tags ``AppName``.
    public enum App {}
    /// Tags ``PurposeName``.
    public enum Purpose {}
    /// Tags ``DimensionName``.
    public enum Dimension {}
    /// Tags ``MetricName``.
    public enum Metric {}
    /// Tags ``PartnerName``.
    public enum Partner {}
    /// Tags ``EventName``.
    public enum Event {}
    /// Tags ``FieldName``.
    public enum Field {}
}

extension FieldName {
    /// The event's own time, which every event has.
    public static let time: FieldName = "at"

    /// The event's own name, which every event has: a dimension over it splits a metric that counts several events.
    public static let event: FieldName = "event"
}

/// A language as BCP 47 (RFC 5646) names it: a language, and where they matter a script, a region and variants, such as
/// `de`, `zh-Hant` or `pt-BR`. Tags with extensions or private subtags are refused: they name no text that anybody could ask for.
public struct LanguageTag: Hashable, Sendable, Comparable, CustomStringConvertible, Encodable {
    /// The tag with the case that BCP 47 recommends.
    public let text: String

    /// Reads a tag, whatever its case.
    ///
    /// - Returns: nil where it is not well-formed.
    public init?(_ written: some StringProtocol) {
        var rest = written.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard written.utf8.count <= 35, let language = rest.popFirst(), (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy(\.isASCIILetter)
        else { return nil }
        var parts = [language.lowercased()]
        if let script = rest.first, script.utf8.count == 4, script.utf8.allSatisfy(\.isASCIILetter) {
            parts.append(script.prefix(1).uppercased() + script.dropFirst().lowercased())
            rest.removeFirst()
        }
        if let region = rest.first,
            region.utf8.count == 2 && region.utf8.allSatisfy(\.isASCIILetter)
                || region.utf8.count == 3 && region.utf8.allSatisfy(\.isDigit)
        {
            parts.append(region.uppercased())
            rest.removeFirst()
        }
        for variant in rest {
            let isLong = (5...8).contains(variant.utf8.count)
            let isDated = variant.utf8.count == 4 && variant.utf8.first?.isDigit == true
            guard isLong || isDated, variant.utf8.allSatisfy({ $0.isASCIILetter || $0.isDigit }) else { return nil }
            parts.append(variant.lowercased())
        }
        text = parts.joined(separator: "-")
    }

    /// The language alone: `pt` of `pt-BR`.
    public var language: String { text.split(separator: "-").first.map(String.init) ?? text }

    /// Returns the language of `available` that serves a reader best.
    ///
    /// For each wanted language in turn: the tag itself, then without its last subtags (RFC 4647, section 3.4), then the first
    /// of the same language, because a Brazilian would rather read Portugal's text than English, and of Norwegian the other
    /// one. Former codes stand for those that hold today, and `zh-TW` is `zh-Hant-TW`.
    ///
    /// - Parameters:
    ///   - available: the languages to choose from.
    ///   - wanted: the languages that the reader reads, best first.
    /// - Returns: nil if the reader reads none of them.
    public static func best(of available: some Collection<LanguageTag>, for wanted: [LanguageTag]) -> LanguageTag? {
        for tag in wanted {
            var subtags = tag.subtags
            let languages = [subtags[0]] + CodeAliases.norwegian.filter { $0.nearest.contains(subtags[0]) }.map(\.name)
            while !subtags.isEmpty {
                if let found = available.first(where: { $0.subtags == subtags }) { return found }
                subtags.removeLast()
            }
            for language in languages {
                if let found = available.filter({ $0.subtags[0] == language }).min() { return found }
            }
        }
        return nil
    }

    /// The subtags, with the code that the language has today and the script that a region implies in Chinese.
    private var subtags: [String] {
        var subtags = text.split(separator: "-").map(String.init)
        subtags[0] = CodeAliases.languages.spellings(of: subtags[0])[0]
        if subtags[0] == "zh", !subtags.contains("Hans"), !subtags.contains("Hant") {
            subtags.insert(["HK", "MO", "TW"].contains(where: subtags.contains) ? "Hant" : "Hans", at: 1)
        }
        return subtags
    }

    /// Returns the languages that a browser asks for (RFC 9110, section 12.5.4), best first. Malformed entries and
    /// everything after the twentieth language are left out.
    public static func wanted(acceptLanguage header: String) -> [LanguageTag] {
        let ranges = header.prefix(1000).split(separator: ",").prefix(20).enumerated().compactMap { place, range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let quality = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
                .map { Double($0.dropFirst(2)) ?? 0 }
            return parts.first.flatMap { LanguageTag($0) }.map { (tag: $0, quality: quality ?? 1, place: place) }
        }
        return ranges.filter { $0.quality > 0 }.sorted { ($0.quality, $1.place) > ($1.quality, $0.place) }.map(\.tag)
    }

    /// Orders by bytes.
    public static func < (left: LanguageTag, right: LanguageTag) -> Bool { left.text < right.text }
    /// The tag.
    public var description: String { text }

    /// Writes the tag.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// A text and its language.
public struct SpokenText: Sendable, Hashable, Codable {
    /// The text.
    public let text: String
    /// A tag of BCP 47, such as `de`; nil if the plan does not say.
    public let language: String?

    /// Creates a text with its language.
    public init(_ text: String, language: String? = nil) { (self.text, self.language) = (text, language) }
}

extension PublicPlan {
    /// A text of the plan in the language that serves a reader best.
    ///
    /// - Parameters:
    ///   - place: the text's place in the plan: `purposes.product.explanation`.
    ///   - text: the plan's text for a reader of none of its languages.
    ///   - wanted: the languages that the reader reads, best first.
    package func spoken(_ place: String, _ text: String, for wanted: [LanguageTag]) -> SpokenText {
        let texts = (translations ?? [:]).compactMapValues { $0[place] }
        let tags = texts.keys.sorted().compactMap { LanguageTag($0) }
        if let best = LanguageTag.best(of: tags, for: wanted), let found = texts[best.text] {
            return SpokenText(found, language: best.text)
        }
        return SpokenText(text, language: tags.first { texts[$0.text] == text }?.text)
    }
}
