internal import Foundation
internal import ThrongPlan

extension LanguageTag {
    var isRightToLeft: Bool { Locale.Language(identifier: text).characterDirection == .rightToLeft }

    /// The attributes of an element whose text is in the language, after a space: ` lang="de" dir="ltr"`.
    var attributes: String { " lang=\"\(text)\" dir=\"\(isRightToLeft ? "rtl" : "ltr")\"" }
}

extension LanguageTag? {
    /// The same; nothing where nobody knows the language.
    var attributes: String { self?.attributes ?? "" }
}
