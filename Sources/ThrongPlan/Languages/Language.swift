internal import CICU
internal import Foundation
internal import Synchronization

/// A language that Throng speaks to readers: its sentences, and the way in which it writes numbers, dates and lists.
///
/// Two are the same if their tags are.
package struct Language: Sendable, Hashable, Encodable {
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
    package func name(of code: String) -> String { Speaker.text(throng_icu_name(speaker.icu, code)) }

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

    package func encode(to encoder: any Encoder) throws { try tag.encode(to: encoder) }
}

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

/// The messages of one language, in the syntax of ICU's MessageFormat: a file of `Languages`, which the build puts into the
/// program.
package struct Catalogue: Sendable {
    private let patterns: [String: String]

    /// The catalogues of all files, by language.
    package static let all: [LanguageTag: Catalogue] = Dictionary(
        uniqueKeysWithValues: PackageResources.all.compactMap { name, bytes in
            LanguageTag(name.replacing(".json", with: "")).flatMap { tag in Catalogue(json: bytes).map { (tag, $0) } }
        })

    private static let english = LanguageTag("en").flatMap { all[$0] }

    package init(_ patterns: [String: String]) { self.patterns = patterns }

    /// Reads one object of texts; nil for anything else.
    package init?(json: [UInt8]) {
        do { patterns = try JSONDecoder().decode([String: String].self, from: Data(json)) } catch { return nil }
    }

    /// A message's pattern; the English one where the language lacks it, which no plan may ask for: see ``missing``.
    package subscript(message: Message) -> String {
        patterns[message.rawValue] ?? Self.english?.patterns[message.rawValue] ?? message.rawValue
    }

    /// The messages that it lacks. The language of a report has none, or else `plan check` refuses it.
    package var missing: [Message] { Message.allCases.filter { patterns[$0.rawValue] == nil } }

    /// The names in it that are no messages.
    package var unknown: [String] { patterns.keys.filter { Message(rawValue: $0) == nil }.sorted() }

    /// The arguments of a message, sorted, each with the cases of its plural or select: `count(one,other) group`; nil where
    /// the pattern does not parse.
    package func arguments(of message: Message) -> [String]? {
        guard let found = throng_icu_arguments(self[message]) else { return nil }
        defer { free(found) }
        return String(cString: found).split(separator: " ").map(String.init)
    }
}

/// A message that Throng says to readers: its name in the catalogues of `Languages`.
///
/// A message is a whole sentence, or a whole label or heading; what it has in it has a name, so that each language puts it where
/// it belongs. A new one needs a case here and a line in each catalogue. A catalogue for a further language is one more file.
///
/// The arguments, in all messages alike:
///
/// | argument | meaning |
/// |---|---|
/// | count, all | whole numbers by which a plural is chosen; `{count}` alone writes one as the language does |
/// | number, whole, last, earlier, low, high, margin, share, amount | numbers as they are shown, most with nouns: "about 1,410 orders" |
/// | noun, one | what is counted, several and one of it: "orders", "order"; from the plan, and not inflected |
/// | group, up, down, from, to, step, title, other, part, dimension, bucket, app, partner | names from the plan, to be quoted |
/// | groups, followers, parts, numbers | lists that are joined already |
/// | date, since, first, last, time, period, periods | dates, times and lengths of time as they are written |
/// | file, version, current, given, asked, text | a plan's file, versions, windows of identifiers, and parts of a batch, as they are written |
/// | ends | which of low and high there are: both, low, high, or none |
/// | hasGroup, isOne, isSample, … | yes or no |
/// | kind, case, reason, … | one of a few words, which the English message names |
/// | finding | a clause without its full stop: the messages `finding…` close it, and some add where its number lies |
package enum Message: String, Sendable, Hashable, CaseIterable {
    case gap, device, event, identifier, visit, action, seconds, minutes, hours, days, periods, periodKind
    case thisPeriod, periodHour, periodWeek, weekShort, instant, amount, about, aboutCounted, aboutInBand, points
    case amountPoints, amountRelative, partOf, perOne, ofIts, span, band, never, times, timesOrMore, timesBetween
    case interval, offBy, offByTerms, aboutTheSame, unitAbout, unitEstimated, unitShare, unitSettled, unitMean
    case finding, findingOff, findingRange, findingDifference, findingInterval, amongShown, foundSaid
    case foundEstimate, shareOf, noneOf, meanOf, largest, largestShare, largestPart, onlyShown, tooClose
    case tooCloseMany, quoted, standsFor, shownBetween, retained, retainedNone, leads, others, funnelCame, funnelOne
    case funnelBest, funnelTooClose, quantile, quantileGroups, quantileGroup, boundFrom, boundIn, boundAny, rowUnder
    case leans, sinceWhen, changeSame, changeMoved, changeWithheld, movesWithheld, moves, noComparison, difference
    case course, nothingYet, tooFewToCompare, trendSpan, missing, missingPart, against, withheld, withheldSentence
    case withheldHere, withheldNote, leftOut, restUnknown, restShare, restSent, restSentFew, restLeft, restLeftFew
    case noRank, withheldTogether, othersTogether, impossibleHere, marker, absent, aged, partCounted, alert, alertUsual
    case annotation, planEdited, likeness, way
    case countsNoun, countsVisits, countsDevices, countsBusiest, excess, chosenBound, leastBehind
    case everythingCounted, sampledScaled, sampledDevices, recognised, devicesUnknown, alsoInTable, barsSummary
    case lineSummary, rangesSummary, mapNote, mapShades, mapGroups, mapRest, ofStepBefore, scope, tableNamed,
        headReached
    case headGroup, headAll, headWithin, headRank, headStep, headQuantile, otherBucket, bucketName, headShare
    case headChange, headChangePercent, headOfStepBefore, headOfFirst, headOfWeek, headDevices, headDevicesSaid
    case headPart, headOf, headNoun, headMean, headAbout, headRange, headFrom, headTo, headOff, headChangeSince
    case headChangeSincePercent, headMetric, headPeriod, headLeast, headDigest, headPlan, preparedFor, timeZone
    case atAGlance, howToRead, readCrowd, readWithheld, readRest, readOthers, readQuantiles, readSample
    case readImpossible, readMargins, readWindow, readSaid, readIdentifiers, madeFrom, signed, deleteCopies
    case questions, letterFile, letterCheck, letterDelete, letterWhy, sheetAbout, sheetFor, sheetApp, sheetPeriod
    case sheetMargins, sheetLeast, sheetDelete, comma, labelTitle, labelLede, labelOff, labelRights, labelOnly
    case labelSmallest, labelForChildren, labelMixed, labelTopic, labelFact, labelConsent, labelUse
    case labelSignals, labelGrownUps, labelChildren, labelCodeless, labelCode, labelProof, labelWithdrawal
    case labelKept, labelCountsKept, labelCountsReaders, labelDirect, labelRelayed, labelMargin, labelCounts
    case labelWithin, labelThen, labelRollups, labelAndBy, labelBy, labelInPeriod, labelFirsts, labelProved
    case labelReach, labelAnswered, labelSplit, labelImpossible, labelWith, labelSum, labelSpread, labelSampled
    case labelThreshold, labelUntil, labelDecay, labelSource, labelSummary, labelUnlisted, labelRevealed, labelOwn
    case labelUnsplit, labelCoarsening, labelPurpose, labelCoarsely, labelRecipients, labelPlan
    case labelRightsTitle, labelRightsAsk, labelRightsNo, labelRightsSignal, labelRightsComplain, labelPicture
    case labelStepSays, labelStepCoarse, labelStepCounts, labelStepShown
    case labelShort, labelContents, labelTry, labelTryWhy, labelDone, labelAsk, labelMadeFrom, labelForPrograms
    case labelMore, labelOrMore, labelStandBehind, labelNoNames, labelNoList, labelTimeUnit, labelThenAnother
    case labelNoCodes, labelNoCodesWhy, labelThenDeleted, labelHint, labelTrial, labelIndex, labelIndexWhy
    case labelIndexApp, panelNoSignal, panelNoAge, panelOver, panelServers, panelSaidNo, panelSaidYes, panelUnasked
    case panelUnrefused, panelAgree, panelParent, panelRefuse, panelFacts, panelRequest, panelNoAnswer, panelRefused
    case panelTakenBack, panelCounted, panelNone, panelSent, panelSentMost, panelNothing, panelAll, trialNothing
    case trialNothingFor, trialMetric, trialNoStep, trialCounted, trialRefused
    case titleChange, titleOutlier, titleStep, titleAbout, nowAndThen, nowAndSpan, partOfAll, standsOut, inDetail
    case readWhiskers, madeUp, madeUpWarning, verifyTitle, verifyLede, verifyKeyTitle, verifyKeyWhy, verifyKeyLabel
    case verifyKeyBad, verifyFilesTitle, verifyFilesWhy, verifyFilesLabel, verifyGenuine, verifyMadeBy, verifyChanged
    case verifyOtherKey, verifyOtherTime, verifyUnknown, verifyNoCrypto, verifyCommands, everybody, publicTitle
    case publicLede, publicEmbed, publicNothing
    case skip, signIn, signOut, signIns, signInWhy, token, signInFailed, role, signInsOf, signInSince, signInLast
    case signInUntil, signInEnd, signInLook, signInEndOf, signInEndOthers, signInsWhy, reports, reportsFor
    case reportsLede, readPeriod, download, reportPeriods, headMade, headFiles, fileKind, compare, earlier, later
    case nothingHere, nothingHereWhy, feed, feedWhy, check, checkWhy, checkThen, notice, noticeWhy, backToStart
    case allReports, compareNote, compareMark, compareWithheld, incomparable, explore, exploreWhy, exploreUntil
    case exploreLatest, allMetrics, exploreFacet, exploreChoice, exploreLast, exploreList, exploreTake, exploreSQL
    case copySQL, copied, exploreReleases, exploreLatestOf, headSampling, exploreBy, exploreShown, exploreFound
    case exploreExtent, exploreRows, exploreTooMuch, leftOutOften, exploreFigure, exploreWithin, exploreSampled
    case problem, problemWhy, ask, askWhy, askWord, asked, askTold, askState, askRow, askFigure, draftPurpose
    case draftQuestion, draftTitle, tryMadeUp, tryHeading, tryLede, tryPlan, tryReportsWhy, tryPost, trySend, tryCurl
    case tryBatches, tryBatchesWhy, tryNone, tryFoot, tryConnecting, tryAlive, tryEnded, tryFollow, tryStanding
    case tryReport, tryMark, tryHint, tryWindow, tryConsent, tryNumber
}
