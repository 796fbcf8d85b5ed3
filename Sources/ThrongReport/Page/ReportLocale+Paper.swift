internal import ThrongPlan

extension ReportLocale {
    /// What the page's style says in addition for the paper of the reader's country; the style itself is for A4.
    ///
    /// Source: Unicode CLDR 46, paper sizes.
    var paperStyle: String {
        switch self {
        case .americanEnglish: "@media print { @page { size: letter; } }\n"
        case .english, .german, .swissGerman, .french, .italian, .spanish, .dutch: ""
        }
    }
}
