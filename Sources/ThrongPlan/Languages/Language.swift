internal import CICU
internal import Foundation
internal import Synchronization
package import ThrongWire

/// A language that Throng speaks to readers: its sentences, and the way in which it writes numbers, dates and lists.
///
/// Two are the same if their tags are.
package struct Language: Sendable, Hashable {
    /// The reader's language, with a region where that matters: `de-CH` has the sentences of `de`.
    package let tag: LanguageTag
    private let speaker: Speaker

    /// The language of pages that have no reader of their own.
    package static let english = known("en")
    package static let german = known("de")

    /// The languages that catalogues are there for, sorted.
    package static let all = Catalogue.all.keys.sorted().compactMap { Language($0) }

    private static let speakers = Mutex<[LanguageTag: Speaker]>([:])

    /// Finds the catalogue that serves a tag: `zh-Hant` for `zh-TW`; nil if there is none for its language.
    package init?(_ tag: LanguageTag) {
        let known = Self.speakers.withLock { $0[tag] }
        guard let speaker = known ?? Self.best(for: [tag]).flatMap({ Catalogue.all[$0] }).flatMap({ Speaker(tag, $0) })
        else { return nil }
        if known == nil { Self.speakers.withLock { $0[tag] = speaker } }
        (self.tag, self.speaker) = (tag, speaker)
    }

    /// A language with a catalogue that is not built in; nil if ICU does not know the tag.
    package init?(_ tag: LanguageTag, _ catalogue: Catalogue) {
        guard let speaker = Speaker(tag, catalogue) else { return nil }
        (self.tag, self.speaker) = (tag, speaker)
    }

    /// The first of the languages that a reader asks for of which there is a catalogue, without its region; English where
    /// there is none.
    package init(for wanted: [LanguageTag]) { self = Self.best(for: wanted).flatMap { Language($0) } ?? .english }

    /// Finds the catalogue's language that serves a reader best, by the script in which a region writes.
    private static func best(for wanted: [LanguageTag]) -> LanguageTag? {
        let written = wanted.map { LanguageTag(Speaker.text(throng_icu_likely($0.text))) ?? $0 }
        return LanguageTag.best(of: Catalogue.all.keys.sorted(), for: written)
    }

    private static func known(_ tag: String) -> Language {
        guard let language = LanguageTag(tag).flatMap({ Language($0) }) else {
            preconditionFailure("a language of the program itself is not built in")
        }
        return language
    }

    package var catalogue: Catalogue { speaker.catalogue }
    package var isRightToLeft: Bool { throng_icu_is_right_to_left(speaker.icu) }
    /// The plural categories of whole numbers: `["one", "other"]`.
    package var plurals: [String] {
        Speaker.text(throng_icu_plurals(speaker.icu)).split(separator: " ").map(String.init)
    }

    /// Says a message.
    ///
    /// - Parameter arguments: texts, and numbers by which the message chooses a plural.
    package func say(_ message: Message, _ arguments: KeyValuePairs<String, any MessageArgument> = [:]) -> String {
        let pattern = speaker.catalogue[message]
        var given = arguments.map { name, value in
            throng_icu_argument(
                name: strdup(name), text: value.text.map { UnsafePointer(strdup($0)) }, number: value.number)
        }
        defer {
            for argument in given {
                free(UnsafeMutablePointer(mutating: argument.name))
                free(UnsafeMutablePointer(mutating: argument.text))
            }
        }
        let said = throng_icu_say(speaker.icu, pattern, &given, given.count)
        assert(said != nil, "\(tag): \(message) can't be said: \(pattern)")
        return Speaker.text(said)
    }

    /// All messages that take no arguments, by name, for templates: they show one as `{{say.NAME}}`.
    package var words: [String: String] {
        Dictionary(
            uniqueKeysWithValues: Message.allCases.filter { !speaker.catalogue[$0].contains("{") }.map {
                ($0.rawValue, say($0))
            })
    }

    /// A decimal with so many digits behind the point: "1,234.50", "42.1%".
    ///
    /// - Parameter digits: such as "-1234.5".
    package func number(_ digits: String, places: Int, isPercent: Bool = false) -> String {
        Speaker.text(throng_icu_number(speaker.icu, digits, Int32(places), isPercent))
    }

    /// A number that plans have as "1234" or "0.5": "1,234", "0.5".
    package func written(_ plain: String) -> String {
        guard !plain.contains("e") else { return digits(plain) }
        let parts = plain.split(separator: ".")
        return number(plain, places: parts.count > 1 ? parts[1].count : 0)
    }

    /// A text such as "02:00" with the language's own digits in place of 0 to 9.
    package func digits(_ text: String) -> String {
        guard let zero = number("0", places: 0).unicodeScalars.first, zero != "0" else { return text }
        let scalars = text.unicodeScalars.map { scalar in
            ("0"..."9").contains(scalar) ? Unicode.Scalar(scalar.value - 0x30 + zero.value) ?? scalar : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// A date by a skeleton of ICU: "21 November 2026" by `yMMMMd`.
    package func date(_ skeleton: String, _ date: CalendarDate) -> String {
        Speaker.text(throng_icu_date(speaker.icu, skeleton, date.daysSince1970))
    }

    /// A language by its code, or a region by an underscore and its own: "German" by `de`, "Europe" by `_150`.
    func name(of code: String) -> String { Speaker.text(throng_icu_name(speaker.icu, code)) }

    /// Several texts as one: "a, b and c", or as a choice "a, b or c".
    package func list(_ items: [String], isChoice: Bool = false) -> String {
        let texts = items.map { strdup($0) }
        defer { for text in texts { free(text) } }
        return Speaker.text(throng_icu_list(speaker.icu, texts.map { UnsafePointer($0) }, texts.count, isChoice))
    }

    /// A length of time in the largest unit that leaves no rest: "one day", "15 minutes".
    package func duration(seconds: Int64) -> String {
        let (message, count) = unit(seconds: seconds)
        return say(message, ["count": count])
    }

    /// The largest unit that leaves no rest, days at most, and how many of it.
    package func unit(seconds: Int64) -> (Message, Int64) {
        let units: [(Message, Int64)] = [(.days, 86_400), (.hours, 3600), (.minutes, 60)]
        let (message, unit) = units.first { seconds > 0 && seconds.isMultiple(of: $0.1) } ?? (.seconds, 1)
        return (message, seconds / unit)
    }

    /// Sentences, one behind the other, without those that are empty.
    package func joined(_ sentences: [String]) -> String {
        sentences.filter { !$0.isEmpty }.joined(separator: say(.gap))
    }

    package static func == (left: Language, right: Language) -> Bool { left.tag == right.tag }
    package func hash(into hasher: inout Hasher) { hasher.combine(tag) }
}

extension Language: Encodable { package func encode(to encoder: any Encoder) throws { try tag.encode(to: encoder) } }

/// A value that a message has in it: a text, a number by which it chooses a plural, or yes or no.
package protocol MessageArgument: Sendable {
    /// The text; nil of a number.
    var text: String? { get }
    var number: Int64 { get }
}

extension MessageArgument {
    package var text: String? { nil }
    package var number: Int64 { 0 }
}

extension String: MessageArgument { package var text: String? { self } }
extension Bool: MessageArgument { package var text: String? { self ? "yes" : "no" } }
extension Int: MessageArgument { package var number: Int64 { Int64(self) } }
extension Int64: MessageArgument { package var number: Int64 { self } }

/// A language's formatters, which live as long as the program.
///
/// Any thread may use them: CICU locks what is not for several, and nothing here changes.
private final class Speaker: @unchecked Sendable {
    let catalogue: Catalogue
    let icu: OpaquePointer

    init?(_ tag: LanguageTag, _ catalogue: Catalogue) {
        // Throng's English is British; ICU's is American.
        let name = tag.text == "en" ? "en_001" : tag.text.replacing("-", with: "_")
        guard let icu = throng_icu_language_new(name) else { return nil }
        (self.icu, self.catalogue) = (icu, catalogue)
    }

    static func text(_ bytes: throng_icu_text?) -> String {
        defer { free(bytes) }
        return bytes.map { String(cString: $0) } ?? ""
    }
}
