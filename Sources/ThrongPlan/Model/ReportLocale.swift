/// How a report's reader writes numbers and dates; its sentences are English.
package enum ReportLocale: String, Sendable, Hashable, CaseIterable, Codable {
    case english = "en"
    case americanEnglish = "en-US"
    case german = "de"
    case swissGerman = "de-CH"
    case french = "fr"
    case italian = "it"
    case spanish = "es"
    case dutch = "nl"
}
