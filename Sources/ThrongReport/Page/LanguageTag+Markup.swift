internal import Foundation
package import ThrongPlan

extension LanguageTag {
    var isRightToLeft: Bool { Locale.Language(identifier: text).characterDirection == .rightToLeft }

    /// The attributes of an element whose text is in the language, after a space: ` lang="de" dir="ltr"`.
    package var attributes: String { " lang=\"\(text)\" dir=\"\(isRightToLeft ? "rtl" : "ltr")\"" }
}

extension LanguageTag? {
    /// The same; nothing where nobody knows the language.
    package var attributes: String { self?.attributes ?? "" }
}
